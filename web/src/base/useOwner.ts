import { useQuery } from '@tanstack/react-query';
import { usePanel } from './context';

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
