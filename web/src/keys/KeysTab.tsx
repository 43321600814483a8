import { Stack } from '@mantine/core';
import { useState } from 'react';
import { CreateKeyDialog } from '../create/CreateKeyDialog';
import { usePanel } from '../panel/context';
import { useOwner } from '../panel/useOwner';
import { texts } from '../texts';
import { FailureAlert } from '../ui/FailureAlert';
import { EmptyState } from './EmptyState';
import { KeyDialogs, type KeyAction } from './KeyDialogs';
import { KeyList } from './KeyList';
import { KeyListSkeleton } from './KeyListSkeleton';
import { KeysToolbar } from './KeysToolbar';
import { useApiKeys, type StatusFilter } from './useApiKeys';

/** Holds which dialog is open above which list. */
export function KeysTab() {
  const [filter, setFilter] = useState<StatusFilter>('active');
  const { trip } = usePanel();
  const [isCreating, setCreating] = useState(trip?.returned !== undefined);
  const [action, setAction] = useState<KeyAction>();
  const list = useApiKeys(filter);
  const { isPending: isOwnerPending } = useOwner();
  const isEmpty = !isOwnerPending && list.isSuccess && !list.isPlaceholderData && list.keys.length === 0;
  // An owner who has never had a key gets an explanation of keys, instead of "no active keys".
  const everything = useApiKeys('all', { enabled: isEmpty && filter === 'active' });
  const hasNeverHadOne = isEmpty && everything.isSuccess && everything.keys.length === 0;
  // The form needs to know what confirms a creation.
  const isWaiting = isOwnerPending || list.isPending || (isEmpty && filter === 'active' && everything.isPending);
  const isLoading = isWaiting || list.isPlaceholderData;

  return (
    <Stack gap="lg">
      {hasNeverHadOne ? (
        <EmptyState onCreate={() => setCreating(true)} />
      ) : (
        <>
          <KeysToolbar
            filter={filter}
            onFilter={setFilter}
            activeKeys={list.activeKeys}
            maxActiveKeys={list.maxActiveKeys}
            isWaiting={isWaiting}
            onCreate={() => setCreating(true)}
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
            list.data && <KeyList list={list} filter={filter} onAction={setAction} />
          )}
        </>
      )}
      <CreateKeyDialog opened={isCreating} onClose={() => setCreating(false)} />
      <KeyDialogs action={action} onClose={() => setAction(undefined)} />
    </Stack>
  );
}
