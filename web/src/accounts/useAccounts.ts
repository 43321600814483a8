import { useQuery } from '@tanstack/react-query';
import type { Person } from '../api/types';
import { usePanel } from '../base/context';

/** The accounts whose keys the person works with, their own first. Not for use within `ServiceAccount`. */
export function useAccounts() {
  const { client } = usePanel();
  return useQuery({
    queryKey: ['accounts'],
    queryFn: async () => (await client.listAccounts()).items,
    // Most people have only their own, which can't change while they look at it.
    refetchOnWindowFocus: ({ state }) => ((state.data?.length ?? 0) > 1 ? 'always' : false),
  });
}

export const nameOf = ({ id, displayName }: Person): string => displayName || id;
