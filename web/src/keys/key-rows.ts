import type { ApiKey, KeyStatus, RecentUse } from '../api/types';
import type { PanelPlace } from '../base/place';
import { endOf, type Rotation, rotationOf, statusAt } from '../key/status';

/** Where a row leads. */
export interface KeyLinks {
  readonly placeOf: (keyId: string) => PanelPlace;
  readonly rename: (keyId: string) => void;
}

/** A line of the list: a key, or the two keys of a rotation under the name of the new one. */
export interface KeyRow {
  readonly key: ApiKey;
  readonly rotation: Rotation | undefined;
  readonly status: KeyStatus;
  readonly end: string;
  /** The key that replaced this one, if it is loaded. */
  readonly successor: ApiKey | undefined;
  readonly recent: RecentUse;
}

/** The keys in their order. */
export function rowsOf(keys: readonly ApiKey[], now: number): readonly KeyRow[] {
  const byId = new Map(keys.map((key) => [key.id, key]));
  return keys.flatMap((key) => {
    const rotation = rotationOf(key, keys, now);
    if (rotation?.old.id === key.id) return [];
    const successor = key.replacedBy === null ? undefined : byId.get(key.replacedBy);
    const recent = rotation ? sumOf(key.recent, rotation.old.recent) : key.recent;
    return [{ key, rotation, status: statusAt(key, now), end: key.revokedAt ?? endOf(key), successor, recent }];
  });
}

/** Whether name, note or prefix contain the text, or the text begins with the prefix, as a longer part of the key does. */
export function isFound({ key, rotation }: KeyRow, search: string): boolean {
  const wanted = comparable(search);
  const keys = rotation ? [key, rotation.old] : [key];
  const texts = keys.flatMap(({ name, note, prefix }) => [name, note ?? '', prefix]);
  const isIn = (text: string) => comparable(text).includes(wanted);
  return texts.some(isIn) || keys.some(({ prefix }) => wanted.startsWith(comparable(prefix)));
}

/** The key of a row that was used last; undefined while none was used. */
export function usedLast({ key, rotation }: KeyRow): ApiKey | undefined {
  const timeOf = ({ lastUsedAt }: ApiKey) => (lastUsedAt === null ? -Infinity : Date.parse(lastUsedAt));
  const last = rotation && timeOf(rotation.old) > timeOf(key) ? rotation.old : key;
  return last.lastUsedAt === null ? undefined : last;
}

/** A full prefix ends with "…", which nobody types. */
function comparable(text: string): string {
  return text.normalize('NFC').replaceAll('…', '').toLocaleLowerCase();
}

function sumOf(one: RecentUse, other: RecentUse): RecentUse {
  const sum = (some: readonly number[], more: readonly number[]) => some.map((count, day) => count + (more[day] ?? 0));
  return { granted: sum(one.granted, other.granted), refused: sum(one.refused, other.refused) };
}

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
