import { Button, Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTexts } from '../texts';
import { FailureAlert } from '../ui/Notice';
import { ListSkeleton, Nothing } from '../ui/Nothing';
import { useAdminTexts } from './texts';

interface Props {
  readonly intro: string;
  readonly filters: ReactNode;
  readonly list: UseInfiniteQueryResult;
  /** Read out once the list is there. */
  readonly shown: string;
  readonly failed: string;
  /** Set if the list is empty: why. */
  readonly none: string | undefined;
  /** Set if there are filters to clear. */
  readonly onClear: (() => void) | undefined;
  readonly children: ReactNode;
}

/** A list of administrators with its filters, page by page: each page is recorded, and so is loaded only on request. */
export function ListFrame({ intro, filters, list, shown, failed, none, onClear, children }: Props) {
  const texts = useTexts();
  const admin = useAdminTexts();
  return (
    <Stack gap="md">
      <Text c="dimmed" size="sm">
        {intro}
      </Text>
      {filters}
      <VisuallyHidden role="status">{list.isSuccess && !list.isPlaceholderData && shown}</VisuallyHidden>
      {list.isError && (
        <FailureAlert
          title={failed}
          error={list.error}
          isRetrying={list.isFetching}
          onRetry={() => void (list.data ? list.fetchNextPage() : list.refetch())}
        />
      )}
      {list.isPending && !list.isError && <ListSkeleton />}
      {list.isSuccess && none !== undefined && (
        <Nothing title={none}>
          {onClear && (
            <Button variant="default" onClick={onClear}>
              {admin.clear}
            </Button>
          )}
        </Nothing>
      )}
      {none === undefined && children}
      {list.hasNextPage && !list.isError && !list.isPlaceholderData && (
        <Group justify="center">
          <Button variant="default" onClick={() => void list.fetchNextPage()} loading={list.isFetchingNextPage}>
            {texts.showMore}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
