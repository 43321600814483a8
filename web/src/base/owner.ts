import { useQuery } from '@tanstack/react-query';
import { usePanel } from './context';
import type { Person } from '../api/types';

export const OWNER = ['owner'];

/** The owner of the keys, and the kind of confirmation for a new key. */
export function useOwner() {
  const { client, owner } = usePanel();
  return useQuery({
    queryKey: OWNER,
    queryFn: () => client.getOwner(),
    initialData: owner,
    // Changes rarely. If it has changed, the service refuses the next creation with the new kind.
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });
}

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

/** An account may have neither name nor email, for example when it was deleted. Only administrators see emails. */
export const nameOf = ({ id, displayName, email }: Person & { readonly email?: string }): string =>
  displayName || email || id;
