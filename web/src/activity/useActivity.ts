import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { AuditEventType } from '../api/types';
import { usePanel } from '../panel/context';

/** Failures may be many: what became of the keys must not be lost among them. */
const TYPES = {
  all: undefined,
  keys: ['api_key.created', 'api_key.revoked', 'api_key.expired'],
  failures: ['authentication.failed'],
} as const satisfies Readonly<Record<string, readonly AuditEventType[] | undefined>>;

export type ActivityFilter = keyof typeof TYPES;
export const ACTIVITY_FILTERS = Object.keys(TYPES) as ActivityFilter[];

/** While another filter loads, the old pages stay, with `isPlaceholderData` set. */
export function useActivity(filter: ActivityFilter) {
  const { client } = usePanel();
  const query = useInfiniteQuery({
    queryKey: ['audit-events', filter],
    queryFn: ({ pageParam }) => client.listEvents(TYPES[filter], pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  });
  return { ...query, events: query.data?.pages.flatMap((page) => page.items) ?? [] };
}
