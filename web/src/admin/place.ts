import { placeOf } from '../panel/place';

export const STATUSES = ['all', 'active', 'expired', 'revoked'] as const;
export type Status = (typeof STATUSES)[number];

/** The most that the page sends and keeps of a key string. The service refuses more. */
export const SHOWN_LENGTH = 16;

/** Which keys an administrator looks at. */
export interface AllKeysPlace {
  /** The id of an account. */
  readonly owner?: string | undefined;
  readonly prefix?: string | undefined;
  readonly status: Status;
  /** Unused for 90 days. */
  readonly isUnused: boolean;
  /** Expiring within 30 days. */
  readonly isExpiring: boolean;
  /** With a key, its drawer is open. */
  readonly keyId?: string | undefined;
}

/** The place that an address names. Unknown values are ignored. */
export function allKeysPlaceOf(search: string): AllKeysPlace {
  const named = new URLSearchParams(search);
  return {
    owner: named.get('owner') || undefined,
    prefix: shownPart(named.get('prefix') ?? '') || undefined,
    status: STATUSES.find((each) => each === named.get('status')) ?? 'all',
    isUnused: named.has('unused'),
    isExpiring: named.has('expiring'),
    keyId: placeOf(search).keyId,
  };
}

/** The query string of a place with its `?`. */
export function searchOfAllKeys({ owner, prefix, status, isUnused, isExpiring, keyId }: AllKeysPlace): string {
  const named = new URLSearchParams({ tab: 'all-keys' });
  if (owner !== undefined) named.set('owner', owner);
  if (prefix !== undefined) named.set('prefix', shownPart(prefix));
  if (status !== 'all') named.set('status', status);
  if (isUnused) named.set('unused', '90');
  if (isExpiring) named.set('expiring', '30');
  if (keyId !== undefined) named.set('key', keyId);
  return `?${named}`;
}

export const isFiltered = ({ owner, prefix, status, isUnused, isExpiring }: AllKeysPlace): boolean =>
  owner !== undefined || prefix !== undefined || status !== 'all' || isUnused || isExpiring;

const IN_TEXT = /[a-z][a-z0-9]{0,15}_[0-9a-f]{12,}/;
const WITH_SECRET = /[0-9a-f]{24}\.[0-9a-f]/i;

/** Only the beginning of a key that somebody pasted, also from a line like `API_KEY=lk_…`. It contains no secret. */
export const shownPart = (text: string): string =>
  (IN_TEXT.exec(text)?.[0] ?? text.trim()).replace('…', '').slice(0, SHOWN_LENGTH);

export const hasSecret = (text: string): boolean => WITH_SECRET.test(text);
