import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { KeyListSkeleton } from '../keys/KeyListSkeleton';
import { texts } from '../texts';
import { FailureAlert } from '../ui/FailureAlert';
import classes from './activity.module.css';
import { EventItem } from './EventItem';
import { ACTIVITY_FILTERS, type ActivityFilter, useActivity } from './useActivity';
import { useKeyNames } from './useKeyNames';

export function ActivityTab() {
  const { activity } = texts;
  const [filter, setFilter] = useState<ActivityFilter>('all');
  const list = useActivity(filter);
  const names = useKeyNames();
  const isLoading = list.isPending || list.isPlaceholderData || names.isPending;
  const retry = () => void Promise.all([list.refetch(), names.refetch()]);
  const error = list.error ?? names.error;

  return (
    <Stack gap="lg">
      <Text c="dimmed" size="sm">
        {activity.intro}
      </Text>
      <SegmentedControl
        className={classes.filter}
        aria-label={activity.filterLabel}
        size="sm"
        value={filter}
        onChange={(value) => setFilter(value as ActivityFilter)}
        data={ACTIVITY_FILTERS.map((value) => ({ value, label: activity.filter[value] }))}
      />
      {error && (
        <FailureAlert
          title={list.data ? activity.staleFailed : activity.failed}
          error={error}
          isRetrying={list.isFetching || names.isFetching}
          onRetry={retry}
        />
      )}
      {isLoading && !error && <KeyListSkeleton rows={5} />}
      {!isLoading && list.isSuccess && list.events.length === 0 && <Text c="dimmed">{activity.empty[filter]}</Text>}
      {!isLoading && list.events.length > 0 && (
        <ul className={classes.events} aria-label={activity.listLabel}>
          {list.events.map((event) => (
            <EventItem key={event.id} event={event} names={names.data} />
          ))}
        </ul>
      )}
      {!isLoading && list.hasNextPage && (
        <Group justify="center">
          <Button variant="default" onClick={() => void list.fetchNextPage()} loading={list.isFetchingNextPage}>
            {texts.showMore}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
