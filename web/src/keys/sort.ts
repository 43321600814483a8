import { laterTexts } from '../texts/later';
import type { KeyRow } from './key-rows';

export const SORTS = ['created', 'name', 'lastUsed', 'ends', 'requests'] as const;
export type Sort = (typeof SORTS)[number];
export type Order = (rows: readonly KeyRow[], now: number) => readonly KeyRow[];

const english: Readonly<Record<Sort | 'label', string>> = {
  label: 'Sort keys',
  created: 'Newest first',
  name: 'By name',
  lastUsed: 'Last used first',
  ends: 'Ending first',
  requests: 'Most requests first',
};

export const sortTexts = laterTexts(english, {
  label: 'Schlüssel sortieren',
  created: 'Neueste zuerst',
  name: 'Nach Name',
  lastUsed: 'Zuletzt genutzte zuerst',
  ends: 'Nächstes Ende zuerst',
  requests: 'Meiste Anfragen zuerst',
});

const rank: Readonly<Record<Exclude<Sort, 'name'>, (row: KeyRow, now: number) => number>> = {
  created: () => 0,
  lastUsed: ({ key, rotation }) =>
    -Math.max(...[key, rotation?.old].map((each) => Date.parse(each?.lastUsedAt ?? '1970'))),
  // The next end first, and the last one of those that have ended.
  ends: ({ end }, now) => Math.abs(Date.parse(end) - now),
  requests: ({ recent: { granted, refused } }) => -[...granted, ...refused].reduce((sum, count) => sum + count, 0),
};

/** Rows that are equal in this order stay as they are: newest first. */
export function orderBy(sort: Sort, language: string): Order {
  if (sort !== 'name') return (rows, now) => rows.toSorted((a, b) => rank[sort](a, now) - rank[sort](b, now));
  const { compare } = new Intl.Collator(language, { numeric: true });
  return (rows) => rows.toSorted((a, b) => compare(a.key.name, b.key.name));
}
