import { Stack } from '@mantine/core';
import { KeyDetails } from '../details/KeyDetails';
import { usePanel } from '../panel/context';
import type { StatusFilter } from '../panel/place';
import { useOwner } from '../panel/useOwner';
import { useTexts } from '../texts';
import { FailureAlert } from '../ui/FailureAlert';
import { EmptyState } from './EmptyState';
import { useKeyDialogs } from './KeyDialogs';
import { KeyList } from './KeyList';
import { KeyListSkeleton } from './KeyListSkeleton';
import { KeysToolbar } from './KeysToolbar';
import { useApiKeys } from './useApiKeys';

interface Props {
  readonly filter: StatusFilter;
  /** The key whose details are open. */
  readonly keyId: string | undefined;
}

export function KeysTab({ filter, keyId }: Props) {
  const texts = useTexts();
  const { goTo } = usePanel();
  const { create } = useKeyDialogs();
  const list = useApiKeys(filter);
  const { isPending: isOwnerPending } = useOwner();
  const isEmpty = !isOwnerPending && list.isSuccess && !list.isPlaceholderData && list.keys.length === 0;
  // An owner who has never had a key gets an explanation of keys, instead of "no active keys".
  const everything = useApiKeys('all', { enabled: isEmpty && filter === 'active' });
  const hasNeverHadOne = isEmpty && everything.isSuccess && everything.keys.length === 0;
  // The form depends on the kind of confirmation.
  const isWaiting = isOwnerPending || list.isPending || (isEmpty && filter === 'active' && everything.isPending);
  const isLoading = isWaiting || list.isPlaceholderData;

  const open = (id: string) => goTo({ tab: 'keys', status: filter, keyId: id });

  return (
    <Stack gap="lg">
      {hasNeverHadOne ? (
        <EmptyState onCreate={() => create()} />
      ) : (
        <>
          <KeysToolbar
            filter={filter}
            onFilter={(status) => goTo({ tab: 'keys', status })}
            activeKeys={list.activeKeys}
            maxActiveKeys={list.maxActiveKeys}
            isWaiting={isWaiting}
            onCreate={() => create()}
          />
          {list.isError && (
            <FailureAlert
              title={list.data ? texts.keys.staleFailed : texts.keys.failed}
              error={list.error}
              isRetrying={list.isFetching}
              onRetry={() => void list.refetch()}
            />
          )}
          {isLoading && !list.isError ? (
            <KeyListSkeleton />
          ) : (
            list.data && <KeyList list={list} filter={filter} onOpen={open} />
          )}
        </>
      )}
      <KeyDetails keyId={keyId} onOpen={open} onClose={() => goTo({ tab: 'keys', status: filter })} />
    </Stack>
  );
}
