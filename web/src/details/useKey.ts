import { useQuery, useQueryClient, type InfiniteData } from '@tanstack/react-query';
import type { ApiKey, ApiKeyPage } from '../api/types';
import { KEYS, LIST } from '../keys/useApiKeys';
import { usePanel } from '../panel/context';

/** One key as it is now: until it is read, and if it can't be, as the list has it. */
export function useKey(id: string | null | undefined) {
  const { client } = usePanel();
  const queryClient = useQueryClient();
  const { data, isPending, isFetching, isError, error, refetch } = useQuery({
    queryKey: [...KEYS, 'one', id],
    queryFn: () => client.getKey(id!),
    enabled: typeof id === 'string',
    staleTime: 0,
  });
  const listed = (): ApiKey | undefined =>
    queryClient
      .getQueriesData<InfiniteData<ApiKeyPage>>({ queryKey: LIST })
      .flatMap(([, list]) => list?.pages.flatMap((page) => page.items) ?? [])
      .find((key) => key.id === id);
  const key: ApiKey | undefined = data ?? (typeof id === 'string' ? listed() : undefined);
  return { key, isAsking: isPending && typeof id === 'string', isFetching, isError, error, refetch };
}
