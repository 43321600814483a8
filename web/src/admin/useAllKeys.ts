import { type InfiniteData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { AuditedEventPage, FoundKey, KeyOwner, OwnedKey, OwnedKeyPage, RevokedKeys } from './types';
import { usePanel } from '../base/context';
import { DAY_MS } from '../time/format';
import { timesOf } from './days';
import { type AllKeysPlace, type AuditPlace, UNUSED_DAYS } from './place';
import { serviceTime } from '../time/useNow';
import type { ApiClient, Call } from '../api/client';
import { hasCode } from '../api/problem';
import { withRetries } from '../api/retry';

const KEYS = '/v1/admin/api-keys';
const LIST = ['admin', 'list'];
const oneOf = (id: string | undefined) => ['admin', 'one', id];

/** Each answer is an entry on the audit trail, so nothing is loaded that nobody asked for. */
const ONLY_WHEN_ASKED = { staleTime: Infinity, gcTime: 0, refetchOnWindowFocus: false, refetchOnReconnect: false };

/** All pages of a list have the same times. */
interface Asked {
  readonly at: number;
  readonly cursor?: string;
}

export function useAllKeys({ owner, createdBy, prefix, status, only, expires, sort }: AllKeysPlace) {
  const { client } = usePanel();
  const days = timesOf(expires);
  const query = useInfiniteQuery({
    ...ONLY_WHEN_ASKED,
    queryKey: [...LIST, { owner, createdBy, prefix, status, only, days, sort }],
    queryFn: ({ pageParam: { at, cursor } }) =>
      asAdministrator<OwnedKeyPage>(client, KEYS, {
        query: {
          owner,
          createdBy,
          prefix,
          status: status === 'all' ? undefined : status,
          only: only === 'unused' ? undefined : only,
          lastUsedBefore: only === 'unused' ? new Date(at - UNUSED_DAYS * DAY_MS).toISOString() : undefined,
          expiresFrom: days.from,
          expiresBefore: days.before,
          sort,
          cursor,
        },
      }),
    // The headings that sort the list stay, and one of them has the focus.
    placeholderData: (previous) => previous,
    initialPageParam: { at: serviceTime() } as Asked,
    getNextPageParam: (page, _, { at }): Asked | undefined =>
      page.nextCursor === null ? undefined : { at, cursor: page.nextCursor },
  });
  return { ...query, keys: query.data?.pages.flatMap((page) => page.items) ?? [] };
}

/**
 * The first page of the active keys that a person made, for themselves and for service accounts.
 * @param isWanted loaded once this is true, and kept
 */
export function useMadeBy(id: string | undefined, isWanted: boolean) {
  const { client } = usePanel();
  const { data, isError } = useQuery({
    ...ONLY_WHEN_ASKED,
    queryKey: ['admin', 'made', id],
    queryFn: () => asAdministrator<OwnedKeyPage>(client, KEYS, { query: { createdBy: id, status: 'active' } }),
    enabled: isWanted && id !== undefined,
  });
  return { made: data, isError };
}

/** The events of all accounts, newest first, page by page. */
export function useAuditEvents({ actor, owner, of, type, days }: AuditPlace) {
  const { client } = usePanel();
  const { from, before: until } = timesOf(days);
  const query = useInfiniteQuery({
    ...ONLY_WHEN_ASKED,
    queryKey: ['admin', 'audit', { actor, owner, of, type, from, until }],
    queryFn: ({ pageParam: cursor }) =>
      asAdministrator<AuditedEventPage>(client, '/v1/admin/audit-events', {
        query: { actor, account: owner, key: of, type, from, until, cursor },
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  return { ...query, events: query.data?.pages.flatMap((page) => page.items) ?? [] };
}

const pathOf = (id: string) => `${KEYS}/${encodeURIComponent(id)}`;

/** @param isShown the key is loaded each time it is shown, and only then */
export function useOwnedKey(id: string | undefined, isShown: boolean) {
  const { client } = usePanel();
  const { data, error, isError, isFetching, refetch } = useQuery({
    ...ONLY_WHEN_ASKED,
    queryKey: oneOf(id),
    queryFn: () => asAdministrator<FoundKey>(client, pathOf(id!)),
    enabled: isShown && id !== undefined,
  });
  return { key: data, error, isError, isFetching, refetch };
}

/** Finds the accounts that have this id or this email. */
export function useFindAccounts(onFound: (accounts: readonly KeyOwner[]) => void) {
  const { client } = usePanel();
  return useMutation({
    mutationFn: (query: string) =>
      asAdministrator<{ readonly items: readonly KeyOwner[] }>(client, '/v1/admin/accounts', { query: { query } }).then(
        ({ items }) => items,
      ),
    onSuccess: onFound,
  });
}

export interface EndOfKey {
  readonly note?: string;
  readonly password?: string;
}

type ChangedKey = OwnedKey & Pick<FoundKey, 'events'>;

/** Changes keys, and shows the result. Neither the list nor the key is read again for it: that would be another view. */
export function useChangeKeys() {
  const { client } = usePanel();
  const queryClient = useQueryClient();
  const showAgain = (id: string) => queryClient.invalidateQueries({ queryKey: oneOf(id) });
  const show = (ids: readonly string[], changed: Partial<FoundKey>) => {
    for (const id of ids) queryClient.setQueryData<FoundKey>(oneOf(id), (key) => key && { ...key, ...changed });
    queryClient.setQueriesData<InfiniteData<OwnedKeyPage>>({ queryKey: LIST }, (list) => {
      const pages = list?.pages.map((page) => ({
        ...page,
        items: page.items.map((key) => (ids.includes(key.id) ? { ...key, ...changed } : key)),
      }));
      return list && pages && { ...list, pages };
    });
  };
  const change = async (id: string, what: 'revoke' | 'pause' | 'resume', body: object): Promise<ChangedKey> => {
    const changed = await asAdministrator<ChangedKey>(client, `${pathOf(id)}/${what}`, { method: 'POST', body });
    show([id], changed);
    return changed;
  };
  const end = (id: string, body: EndOfKey) => change(id, 'revoke', body);
  const resume = (id: string, { password }: EndOfKey) => change(id, 'resume', { password });
  /** A running pause only gets longer, so it is safe to repeat. */
  const pause = ({ id }: Pick<OwnedKey, 'id'>, minutes: number) => withRetries(() => change(id, 'pause', { minutes }));
  /** With one call. The reason why a key was not ended is the code of a problem. */
  const endAll = async (ids: readonly string[], body: EndOfKey): Promise<RevokedKeys> => {
    const answer = await asAdministrator<RevokedKeys>(client, `${KEYS}/revoke`, {
      method: 'POST',
      body: { ...body, ids },
    });
    const revokedAt = new Date(serviceTime()).toISOString();
    show(answer.revoked, { status: 'revoked', revokedAt, revokedReason: 'administrator' });
    return answer;
  };
  return { end, endAll, pause, resume, showAgain };
}

/** The person may not see the keys of all owners any more. */
export class NotAdministrator extends Error {
  override readonly name = 'NotAdministrator';
  constructor() {
    super('you are no administrator any more');
  }
}

/**
 * People without the permission or without a session get the answer for an address that does not exist. If only the
 * session has ended, the person signs in again, and the call is repeated. So `not_found` means that there is no such key.
 */
async function asAdministrator<T>(client: ApiClient, path: string, call: Call = {}): Promise<T> {
  try {
    return await client.call<T>(path, call);
  } catch (error) {
    if (!hasCode(error, 'not_found')) throw error;
    const { isAdministrator } = await client.getOwner();
    if (!isAdministrator) throw new NotAdministrator();
    return client.call<T>(path, call);
  }
}
