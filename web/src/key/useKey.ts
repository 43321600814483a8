import { useQuery, useQueryClient, type InfiniteData } from '@tanstack/react-query';
import type { ApiKey, ApiKeyPage, KeyHistory } from '../api/types';
import { usePanel } from '../base/context';
import { useNow } from '../time/useNow';
import { LIST, oneKey } from './list';
import { rotationOf } from './status';

/** Each time it is shown, and again only if that failed. */
const LOADED_ONCE = { staleTime: Infinity, refetchOnMount: 'always', refetchOnWindowFocus: true } as const;

export type KeyFound = ReturnType<typeof useKey>;

/**
 * The current state of one key. Until it is loaded, or if that fails, the state in the list, without its history.
 * @param isShown the key is loaded each time it is shown, and only then
 * @param isPast what is shown of it does not change any more: it is loaded once
 */
export function useKey(id: string | null | undefined, isShown = true, isPast = false) {
  const { client } = usePanel();
  const queryClient = useQueryClient();
  const { data, isPending, isFetching, isError, error, refetch } = useQuery({
    queryKey: oneKey(id),
    queryFn: () => client.getKey(id!),
    enabled: isShown && typeof id === 'string',
    ...(isPast ? LOADED_ONCE : { staleTime: 0 }),
  });
  const listed = (): ApiKey | undefined =>
    queryClient
      .getQueryData<InfiniteData<ApiKeyPage>>(LIST)
      ?.pages.flatMap((page) => page.items)
      .find((key) => key.id === id);
  const key: (ApiKey & Partial<KeyHistory>) | undefined = data ?? (typeof id === 'string' ? listed() : undefined);
  return { key, isLoading: isPending && isShown && typeof id === 'string', isFetching, isError, error, refetch };
}

/** The rotation that a key is part of, with the current state of the other key. */
export function useRotation(key: ApiKey | undefined, isShown: boolean) {
  const [replaced, successor] = [useKey(key?.replaces, isShown), useKey(key?.replacedBy, isShown)];
  const now = useNow();
  const others = [replaced.key, successor.key].filter((other) => other !== undefined);
  return {
    rotation: key && rotationOf(key, others, now),
    /** False while the other key is loading. */
    isKnown: !replaced.isLoading && !successor.isLoading,
  };
}

export const PERMISSIONS = ['permissions'];

/** What the owner may give a key. @param isNeeded it is loaded only then */
export function usePermissions(isNeeded = true) {
  const { client } = usePanel();
  return useQuery({ queryKey: PERMISSIONS, queryFn: () => client.getPermissions(), enabled: isNeeded });
}
