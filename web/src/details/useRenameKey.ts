import { type InfiniteData, useMutation, useQueryClient } from '@tanstack/react-query';
import type { ApiKey, ApiKeyPage, RenameKeyRequest } from '../api/types';
import { LIST, oneKey, refreshKeys } from '../key/list';
import { usePanel } from '../base/context';

interface Options {
  readonly onRenamed: () => void;
  readonly onRefused: (error: unknown) => void;
}

/** Shows the new name and note everywhere at once, before the lists are read again. */
export function useRenameKey(id: string, { onRenamed, onRefused }: Options) {
  const { client } = usePanel();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (changes: RenameKeyRequest) => client.renameKey(id, changes),
    onSuccess: async ({ name, note }) => {
      const renamed = <K extends ApiKey>(key: K): K => (key.id === id ? { ...key, name, note } : key);
      queryClient.setQueryData<ApiKey>(oneKey(id), (key) => key && renamed(key));
      queryClient.setQueriesData<InfiniteData<ApiKeyPage>>(
        { queryKey: LIST },
        (list) => list && { ...list, pages: list.pages.map((page) => ({ ...page, items: page.items.map(renamed) })) },
      );
      onRenamed();
      await refreshKeys(queryClient);
    },
    onError: onRefused,
  });
}
