import { Button, Stack } from '@mantine/core';
import { useState } from 'react';
import { useOwner, usePanel } from '../base/context';
import type { PanelPlace, StatusFilter } from '../base/place';
import { useTexts } from '../texts';
import { FailureAlert } from '../ui/Notice';
import { KeyIcon } from '../ui/icons';
import { later } from '../ui/later';
import { ListSkeleton, Nothing } from '../ui/Nothing';
import { useKeyDialogs } from '../key/actions';
import { KeyList } from './KeyList';
import { useApiKeys, useCanMakeKeys } from '../key/list';

const KeyDetails = later(() => import('../details/KeyDetails').then((part) => part.KeyDetails), {
  isWanted: ({ keyId }) => keyId !== undefined,
  isOverlay: true,
});

interface Props {
  readonly filter: StatusFilter;
  /** The key whose details are open. */
  readonly keyId: string | undefined;
}

export function KeysTab({ filter, keyId }: Props) {
  const texts = useTexts();
  const { goTo } = usePanel();
  const { create } = useKeyDialogs();
  const canMakeKeys = useCanMakeKeys();
  const list = useApiKeys();
  // Only the form for a new key depends on the owner.
  const { isPending: isOwnerPending } = useOwner();
  const isLoading = list.isPending || list.isIncomplete;
  const placeOf = (id: string): PanelPlace => ({ tab: 'keys', status: filter, keyId: id });
  const [renamed, setRenamed] = useState<string>();
  const rename = (id: string) => {
    setRenamed(id);
    goTo(placeOf(id));
  };

  return (
    <Stack gap="lg">
      {list.isSuccess && list.keys.length === 0 && canMakeKeys ? (
        <Nothing icon={<KeyIcon />} heading={texts.keys.empty.title} title={texts.keys.empty.text}>
          <Button
            {...(isOwnerPending && { 'aria-disabled': true, 'data-disabled': true })}
            onClick={() => !isOwnerPending && create()}
          >
            {texts.keys.empty.create}
          </Button>
        </Nothing>
      ) : (
        <>
          {list.isError && (
            <FailureAlert
              title={list.data ? texts.keys.staleFailed : texts.keys.failed}
              error={list.error}
              isRetrying={list.isFetching}
              onRetry={() => void list.refetch()}
            />
          )}
          {isLoading && !list.isError && <ListSkeleton />}
          {!isLoading && list.data && <KeyList list={list} filter={filter} links={{ placeOf, rename }} />}
        </>
      )}
      <KeyDetails
        keyId={keyId}
        startsRenaming={keyId !== undefined && renamed === keyId}
        onOpen={(id) => goTo(placeOf(id))}
        onClose={() => {
          setRenamed(undefined);
          goTo({ tab: 'keys', status: filter });
        }}
      />
    </Stack>
  );
}
