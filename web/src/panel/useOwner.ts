import { useQuery } from '@tanstack/react-query';
import { usePanel } from './context';

export const OWNER = ['owner'];

/** Whose keys these are, and what confirms a creation. */
export function useOwner() {
  const { client } = usePanel();
  return useQuery({
    queryKey: OWNER,
    queryFn: () => client.getOwner(),
    // Changes hardly ever; the service says so when it refuses what was right before.
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });
}
