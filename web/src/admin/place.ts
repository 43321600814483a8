import { queryOf } from '../api/query';
import { keyIdIn, placeOf } from '../base/place';
import type { Sort } from '../keys/key-rows';
import { dayIn, type Days } from './days';

export const STATUSES = ['all', 'active', 'expired', 'revoked'] as const;
export type Status = (typeof STATUSES)[number];

/** Of active keys, those that were not used for `UNUSED_DAYS`, are paused, or could be narrower. */
export const ONLY = ['unused', 'paused', 'narrower'] as const;
export type Only = (typeof ONLY)[number];

export const UNUSED_DAYS = 90;

/** By requests, the service sorts the keys of one owner alone. */
const SORTS: readonly Sort[] = ['name', 'lastUsed', 'expires', 'requests'];

/** The most that the page sends and keeps of a key string. The service refuses more. */
export const SHOWN_LENGTH = 16;

export interface AllKeysPlace {
  readonly owner?: string | undefined;
  /** Who made the keys, for themselves or for a service account. */
  readonly createdBy?: string | undefined;
  readonly prefix?: string | undefined;
  readonly status: Status;
  readonly only?: Only | undefined;
  readonly expires: Days;
  readonly sort?: Sort | undefined;
  /** With a key, its drawer is open. */
  readonly keyId?: string | undefined;
}

/** The place that an address names. Unknown values are ignored. */
export function allKeysPlaceOf(search: string): AllKeysPlace {
  const named = new URLSearchParams(search);
  const owner = named.get('owner') || undefined;
  return {
    owner,
    createdBy: named.get('createdBy') || undefined,
    prefix: shownPart(named.get('prefix') ?? '') || undefined,
    status: STATUSES.find((each) => each === named.get('status')) ?? 'all',
    only: ONLY.find((each) => each === named.get('only')),
    expires: { from: dayIn(named.get('expiresFrom')), until: dayIn(named.get('expiresUntil')) },
    sort: sortsOf(owner).find((each) => each === named.get('sort')),
    keyId: placeOf(search).keyId,
  };
}

/** The query string of a place with its `?`. */
export function searchOfAllKeys({ prefix, status, expires, sort, keyId, ...place }: AllKeysPlace): string {
  return queryOf({
    tab: 'all-keys',
    owner: place.owner,
    createdBy: place.createdBy,
    prefix: prefix && shownPart(prefix),
    status: status === 'all' ? undefined : status,
    only: place.only,
    expiresFrom: expires.from,
    expiresUntil: expires.until,
    sort: sort && sortsOf(place.owner).find((each) => each === sort),
    key: keyId,
  });
}

/** What the keys of one owner, or of all, can be sorted by. */
export const sortsOf = (owner: string | undefined): readonly Sort[] =>
  SORTS.filter((each) => each !== 'requests' || owner !== undefined);

/** How many filters leave keys out. */
export const filtersOf = ({ owner, createdBy, prefix, status, only, expires }: AllKeysPlace): number =>
  [owner, createdBy, prefix, status !== 'all', only, expires.from ?? expires.until].filter(Boolean).length;

export interface AuditPlace {
  /** An account's id, or who else acts: `service:…`, `admin:…`. */
  readonly actor?: string | undefined;
  /** The id of the account that the events are about. */
  readonly owner?: string | undefined;
  /** The id of the key that the events are about. */
  readonly of?: string | undefined;
  readonly type?: string | undefined;
  readonly days: Days;
  /** With a key, its drawer is open. */
  readonly keyId?: string | undefined;
}

export function auditPlaceOf(search: string): AuditPlace {
  const named = new URLSearchParams(search);
  return {
    actor: named.get('actor') || undefined,
    owner: named.get('owner') || undefined,
    of: keyIdIn(named.get('of')),
    type: named.get('type') || undefined,
    days: { from: dayIn(named.get('from')), until: dayIn(named.get('until')) },
    keyId: placeOf(search).keyId,
  };
}

export const searchOfAudit = ({ days, keyId, ...filters }: AuditPlace): string =>
  queryOf({ tab: 'audit', ...filters, ...days, key: keyId });

const IN_TEXT = /[a-z][a-z0-9]{0,15}_[0-9a-f]{12,}/;
const WITH_SECRET = /[0-9a-f]{24}\.[0-9a-f]/i;

/** Only the beginning of a key that somebody pasted, also from a line like `API_KEY=lk_…`. It contains no secret. */
export const shownPart = (text: string): string =>
  (IN_TEXT.exec(text)?.[0] ?? text.trim()).replace('…', '').slice(0, SHOWN_LENGTH);

export const isPartOfKey = (text: string): boolean => IN_TEXT.test(text) || text.trim().endsWith('…');

export const hasSecret = (text: string): boolean => WITH_SECRET.test(text);

/** Whether it is taken for the beginning of a key: letters alone, unless they are hex digits or capitals, are a name. */
export const mayBeginKey = (text: string): boolean =>
  text.length <= SHOWN_LENGTH && !/[\s@]/.test(text) && (!/^\p{L}+$/u.test(text) || /^([0-9a-f]+|[A-Z]+)$/.test(text));
