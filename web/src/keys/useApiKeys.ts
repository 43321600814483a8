import { keepPreviousData, useInfiniteQuery, type InfiniteData, type QueryClient } from '@tanstack/react-query';
import type { ApiKey, ApiKeyPage } from '../api/types';
import { usePanel } from '../panel/context';
import type { StatusFilter } from '../panel/place';

export const KEYS = ['api-keys'];
export const LIST = [...KEYS, 'list'];
const ROTATION_POLL_MS = 5000;

/**
 * Newest first, page by page. While another filter loads, the old pages and counts stay, with `isPlaceholderData` set.
 */
export function useApiKeys(filter: StatusFilter, { enabled = true }: { enabled?: boolean } = {}) {
  const { client } = usePanel();
  const query = useInfiniteQuery({
    queryKey: [...LIST, filter],
    queryFn: ({ pageParam }) => client.listKeys(filter === 'all' ? undefined : filter, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
    // Shows the first use of a new key, and then the end of the old one.
    refetchInterval: ({ state }) => state.data?.pages.some(holdsRotation) && ROTATION_POLL_MS,
    enabled,
  });
  const [first] = query.data?.pages ?? [];
  return {
    ...query,
    keys: query.data?.pages.flatMap((page) => page.items) ?? [],
    activeKeys: first?.activeKeys,
    maxActiveKeys: first?.maxActiveKeys,
  };
}

function holdsRotation({ items }: ApiKeyPage): boolean {
  return items.some(({ status, replacedBy }) => status === 'active' && replacedBy !== null);
}

/**
 * Shows a key as revoked in every list at once, before the lists are read again.
 * @param isOfTwo the other key of its rotation, which counted as the same key, keeps working
 */
export function showRevoked(queryClient: QueryClient, revoked: ApiKey, isOfTwo: boolean): void {
  for (const [queryKey, data] of queryClient.getQueriesData<InfiniteData<ApiKeyPage>>({ queryKey: LIST })) {
    if (!data) continue;
    const belongs = (key: ApiKey) => key.id !== revoked.id || queryKey.at(-1) !== 'active';
    const pages = data.pages.map((page) => ({
      ...page,
      activeKeys: Math.max(0, page.activeKeys - (isOfTwo ? 0 : 1)),
      items: page.items.filter(belongs).map((key) => (key.id === revoked.id ? revoked : key)),
    }));
    queryClient.setQueryData(queryKey, { ...data, pages });
  }
}

/** Reloads keys and activity. */
export async function refreshKeys(queryClient: QueryClient): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: KEYS }),
    queryClient.invalidateQueries({ queryKey: ['audit-events'] }),
  ]);
}
