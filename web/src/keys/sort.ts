import { type KeyRow, usedLast } from './key-rows';

/** By a column. Undefined: newest first. */
export type Sort = 'name' | 'lastUsed' | 'expires' | 'requests';

const rank: Readonly<Record<Exclude<Sort, 'name'>, (row: KeyRow, now: number) => number>> = {
  lastUsed: (row) => -Date.parse(usedLast(row)?.lastUsedAt ?? '1970'),
  // The next end first, and the last one of those that have ended.
  expires: ({ end }, now) => Math.abs(Date.parse(end) - now),
  requests: ({ recent: { granted, refused } }) => -[...granted, ...refused].reduce((sum, count) => sum + count, 0),
};

/** Rows that are equal in this order stay as they are: newest first. */
export function sorted(rows: readonly KeyRow[], sort: Sort | undefined, now: number, language: string) {
  if (sort === undefined) return rows;
  if (sort !== 'name') return rows.toSorted((a, b) => rank[sort](a, now) - rank[sort](b, now));
  const { compare } = new Intl.Collator(language, { numeric: true });
  return rows.toSorted((a, b) => compare(a.key.name, b.key.name));
}
