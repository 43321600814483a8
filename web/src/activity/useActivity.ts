import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { hasCode } from '../api/problem';
import type { OwnerEventType } from '../../../src/domain/audit/audit-event';
import { usePanel } from '../base/context';
import type { ActivityFilter } from '../base/place';
import { groupEvents } from './events';

const OF_KEYS = [
  'api_key.created',
  'api_key.renamed',
  'api_key.rotated',
  'api_key.paused',
  'api_key.resumed',
  'api_key.first_used',
  'api_key.revoked',
  'api_key.expired',
] as const;

/** An instance of an earlier release refuses them. */
const NEW: readonly OwnerEventType[] = ['session.refused', 'admin.viewed', 'api_key.paused', 'api_key.resumed'];

/** Separate filters, because many failures could hide the events of keys. */
const TYPES = {
  all: [...OF_KEYS, 'authentication.failed', ...NEW],
  keys: OF_KEYS,
  failures: ['authentication.failed', 'session.refused'],
} as const satisfies Readonly<Record<ActivityFilter, readonly OwnerEventType[]>>;

/** While another filter loads, the old pages stay, with `isPlaceholderData` set. */
export function useActivity(filter: ActivityFilter, keyId?: string) {
  const { client } = usePanel();
  const query = useInfiniteQuery({
    queryKey: ['audit-events', filter, keyId],
    queryFn: ({ pageParam }) => {
      const list = (types: readonly OwnerEventType[]) => client.listEvents(types, keyId, pageParam);
      const types = TYPES[filter];
      return list(types).catch((error: unknown) => {
        if (!hasCode(error, 'invalid_fields')) throw error;
        return list(types.filter((type) => !NEW.includes(type)));
      });
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
  });
  const { data } = query;
  const groups = useMemo(() => groupEvents(data?.pages.flatMap((page) => page.items) ?? []), [data]);
  return { ...query, groups };
}
