import { useQuery, useQueryClient, type InfiniteData } from '@tanstack/react-query';
import type { ApiKey, ApiKeyPage, KeyHistory } from '../api/types';
import { KEYS, LIST } from '../key/useApiKeys';
import { usePanel } from '../base/context';

export const oneKey = (id: string | null | undefined) => [...KEYS, 'one', id];

export type KeyFound = ReturnType<typeof useKey>;

/**
 * The current state of one key. Until it is loaded, or if that fails, the state in the list, without its history.
 * @param isShown the key is loaded each time it is shown, and only then
 */
export function useKey(id: string | null | undefined, isShown = true) {
  const { client } = usePanel();
  const queryClient = useQueryClient();
  const { data, isPending, isFetching, isError, error, refetch } = useQuery({
    queryKey: oneKey(id),
    queryFn: () => client.getKey(id!),
    enabled: isShown && typeof id === 'string',
    staleTime: 0,
  });
  const listed = (): ApiKey | undefined =>
    queryClient
      .getQueriesData<InfiniteData<ApiKeyPage>>({ queryKey: LIST })
      .flatMap(([, list]) => list?.pages.flatMap((page) => page.items) ?? [])
      .find((key) => key.id === id);
  const key: (ApiKey & Partial<KeyHistory>) | undefined = data ?? (typeof id === 'string' ? listed() : undefined);
  return { key, isLoading: isPending && isShown && typeof id === 'string', isFetching, isError, error, refetch };
}
