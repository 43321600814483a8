import {
  type InfiniteData,
  type QueryClient,
  useInfiniteQuery,
  type UseInfiniteQueryResult,
} from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ApiKey, ApiKeyPage, KeyPolicy } from '../api/types';
import { usePanel } from '../base/context';
import { MAX_KEY_DAYS } from '../rules';

export const KEYS = ['api-keys'];
export const LIST = [...KEYS, 'list'];
export const oneKey = (id: string | null | undefined) => [...KEYS, 'one', id];

/** Until the list says what is allowed. */
const USUAL: KeyPolicy = {
  maxActiveKeys: 5,
  maxKeyDays: MAX_KEY_DAYS,
  maxAccess: 'read-and-write',
  newKeys: true,
  limitedByAccount: [],
};

/** Whether keys can be made: not where nobody may, and not for a service account that is suspended. */
export function useCanMakeKeys(): boolean {
  const { account } = usePanel();
  const { policy } = useApiKeys(false);
  return (account === undefined || account.status === 'active') && mayMakeKeys(policy);
}

/** A service of an earlier release does not say so. */
export const mayMakeKeys = ({ newKeys }: Partial<KeyPolicy>): boolean => newKeys !== false;

/**
 * All keys, newest first, page by page. The pages with active keys are loaded by themselves.
 * @param isNeeded they are loaded only then
 */
export function useApiKeys(isNeeded = true) {
  const { client } = usePanel();
  const query = useInfiniteQuery({
    queryKey: LIST,
    queryFn: ({ pageParam }) => client.listKeys(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    enabled: isNeeded,
  });
  const { hasNextPage, isError } = query;
  const [first] = query.data?.pages ?? [];
  const keys = query.data?.pages.flatMap((page) => page.items) ?? [];
  const isIncomplete = hasNextPage && !isError && first !== undefined && countedActive(keys) < first.activeKeys;
  useNextPages(query, isIncomplete);
  const policy = first?.policy ?? USUAL;
  return {
    ...query,
    keys,
    /** An active key may still be missing. */
    isIncomplete,
    activeKeys: first?.activeKeys,
    endedKeys: first?.endedKeys,
    policy,
    /** The account has as many active keys as it may have. */
    isFull: first !== undefined && first.activeKeys >= policy.maxActiveKeys,
  };
}

type Pages = Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isError' | 'isFetching' | 'fetchNextPage'>;

/** Loads page after page as long as they are wanted. While another request is under way, a page can't be loaded. */
export function useNextPages({ hasNextPage, isError, isFetching, fetchNextPage }: Pages, isWanted: boolean): void {
  const isDue = isWanted && hasNextPage && !isError && !isFetching;
  useEffect(() => {
    // Several components may want the same page.
    if (isDue) void fetchNextPage({ cancelRefetch: false });
  }, [isDue, fetchNextPage]);
}

/** As the service counts them: a key whose predecessor is active does not count. */
function countedActive(keys: readonly ApiKey[]): number {
  const byId = new Map(keys.map((key) => [key.id, key]));
  const counts = ({ status, replaces }: ApiKey) =>
    status === 'active' && (replaces === null || (byId.has(replaces) && byId.get(replaces)!.status !== 'active'));
  return keys.filter(counts).length;
}

/**
 * Shows keys as they are now, before they are read again.
 * @param ended how many of them ended just now
 */
export function showCurrent(queryClient: QueryClient, current: readonly ApiKey[], ended = 0): void {
  for (const key of current)
    queryClient.setQueryData<ApiKey>(oneKey(key.id), (before) => before && { ...before, ...key });
  queryClient.setQueryData<InfiniteData<ApiKeyPage>>(LIST, (list) => {
    const pages = list?.pages.map((page) => ({
      ...page,
      activeKeys: Math.max(0, page.activeKeys - ended),
      ...(page.endedKeys !== undefined && { endedKeys: page.endedKeys + ended }),
      items: page.items.map((key) => current.find(({ id }) => id === key.id) ?? key),
    }));
    return list && pages && { ...list, pages };
  });
}

export async function refreshKeys(queryClient: QueryClient): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: KEYS }),
    queryClient.invalidateQueries({ queryKey: ['audit-events'] }),
  ]);
}
