import { useQuery, useQueryClient, type InfiniteData } from '@tanstack/react-query';
import type { ApiKey, ApiKeyPage } from '../api/types';
import { KEYS, LIST } from '../keys/useApiKeys';
import { usePanel } from '../panel/context';

/** One key, at first as the list has it. */
export function useKey(id: string | undefined) {
  const { client } = usePanel();
  const queryClient = useQueryClient();
  const listed = (): ApiKey | undefined =>
    queryClient
      .getQueriesData<InfiniteData<ApiKeyPage>>({ queryKey: LIST })
      .flatMap(([, data]) => data?.pages.flatMap((page) => page.items) ?? [])
      .find((key) => key.id === id);
  return useQuery({
    queryKey: [...KEYS, 'one', id],
    queryFn: () => client.getKey(id!),
    enabled: id !== undefined,
    placeholderData: listed,
  });
}
