import { useInfiniteQuery } from '@tanstack/react-query';
import { usePanel } from '../panel/context';

export function useActivity() {
  const { client } = usePanel();
  const query = useInfiniteQuery({
    queryKey: ['audit-events'],
    queryFn: ({ pageParam }) => client.listEvents(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  return { ...query, events: query.data?.pages.flatMap((page) => page.items) ?? [] };
}
