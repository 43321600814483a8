import type { AccessLevel } from '../api/types.js';
import { queryOf } from '../api/query.js';

export const STATUS_FILTERS = ['all', 'active', 'attention', 'ended'] as const;
export const ACTIVITY_FILTERS = ['all', 'keys', 'failures'] as const;
export type StatusFilter = (typeof STATUS_FILTERS)[number];
export type ActivityFilter = (typeof ACTIVITY_FILTERS)[number];

/** What a link fills into the form for a new key. */
export interface Suggestion {
  readonly name: string;
  readonly access: AccessLevel;
  /** Null: everything that the owner may do. */
  readonly permissions: readonly string[] | null;
  readonly days: number | undefined;
}

export type PanelPlace = {
  /** The id of a service account, to show its keys and activity. Default: the person's own. */
  readonly account?: string | undefined;
} &
  /** With a key, its details are open. */
  (
    | {
        readonly tab: 'keys';
        readonly status: StatusFilter;
        readonly keyId?: string | undefined;
        /** The form for a new key opens. `searchOf` leaves it out, so that a reload does not open the form again. */
        readonly suggestion?: Suggestion | undefined;
      }
    /** With a key, only its events. */
    | { readonly tab: 'activity'; readonly events: ActivityFilter; readonly keyId?: string | undefined }
  );

/**
 * With `replace`, "back" must not lead to the place before: its link has been used, or the person may not see it any
 * more.
 */
export type GoTo = (place: PanelPlace, options?: { readonly replace: boolean }) => void;

export const START: PanelPlace = { tab: 'keys', status: 'active' };

const KEY_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const keyIdIn = (text: string | null): string | undefined =>
  text !== null && KEY_ID.test(text) ? text : undefined;

/** Addresses of earlier releases, which had a list for each status. */
const FORMER_STATUS: Readonly<Record<string, StatusFilter>> = { expired: 'ended', revoked: 'ended' };

/** The place that an address names. Unknown values are ignored. */
export function placeOf(search: string): PanelPlace {
  const named = new URLSearchParams(search);
  const keyId = keyIdIn(named.get('key'));
  // Which accounts there are, only the service knows.
  const account = named.get('account') || undefined;
  if (named.get('tab') === 'activity') {
    return { account, tab: 'activity', events: oneOf(ACTIVITY_FILTERS, named.get('events'), 'all'), keyId };
  }
  const status = named.get('status') ?? '';
  return {
    account,
    tab: 'keys',
    status: oneOf(STATUS_FILTERS, FORMER_STATUS[status] ?? status, 'active'),
    keyId,
    suggestion: named.has('new') ? suggestionIn(named) : undefined,
  };
}

function suggestionIn(named: URLSearchParams): Suggestion {
  const days = named.get('days') ?? '';
  const permissions = named.get('permissions')?.split(/[\s,]+/);
  return {
    name: named.get('name') ?? '',
    access: oneOf(['read-only', 'read-and-write'], named.get('access'), 'read-only'),
    permissions: permissions ? [...new Set(permissions)].filter((each) => each !== '') : null,
    days: /^[1-9]\d{0,2}$/.test(days) ? Number(days) : undefined,
  };
}

/** The query string of a place with its `?`; empty for the start. */
export function searchOf(place: PanelPlace): string {
  const { account, keyId: key } = place;
  const named =
    place.tab === 'activity'
      ? { tab: place.tab, events: place.events === 'all' ? undefined : place.events }
      : { status: place.status === 'active' ? undefined : place.status };
  return queryOf({ account, ...named, key });
}

function oneOf<T extends string>(known: readonly T[], text: string | null, fallback: T): T {
  return known.find((each) => each === text) ?? fallback;
}
