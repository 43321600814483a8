import { useQuery } from '@tanstack/react-query';
import { usePanel } from '../base/context';

export const PERMISSIONS = ['permissions'];

/** What the owner may give a key. @param isNeeded it is loaded only then */
export function usePermissions(isNeeded = true) {
  const { client } = usePanel();
  return useQuery({ queryKey: PERMISSIONS, queryFn: () => client.getPermissions(), enabled: isNeeded });
}
