import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { usePanel } from '../base/context';
import { ACTIVITY_FILTERS, type ActivityFilter } from '../base/place';
import { useTexts } from '../texts';
import { FailureAlert } from '../ui/FailureAlert';
import classes from './activity.module.css';
import { EventList } from './EventList';
import { EventListSkeleton } from './EventListSkeleton';
import { KeyFilter } from './KeyFilter';
import { useActivity } from './useActivity';
import { useKnownKeys } from './useKnownKeys';

interface Props {
  readonly filter: ActivityFilter;
  /** Shows only the events of this key. */
  readonly keyId: string | undefined;
}

export function ActivityTab({ filter, keyId }: Props) {
  const texts = useTexts();
  const { activity } = texts;
  const { goTo } = usePanel();
  const list = useActivity(filter, keyId);
  const known = useKnownKeys();
  const isLoading = list.isPending || list.isPlaceholderData || known.isPending;
  const retry = () => void Promise.all([list.refetch(), known.refetch()]);
  const error = list.error ?? known.error;

  return (
    <Stack gap="lg">
      <Text c="dimmed" size="sm">
        {activity.intro}
      </Text>
      <div className={classes.filters}>
        <SegmentedControl
          className={classes.filter}
          aria-label={activity.filterLabel}
          size="sm"
          value={filter}
          onChange={(value) => goTo({ tab: 'activity', events: value as ActivityFilter, keyId })}
          data={ACTIVITY_FILTERS.map((value) => ({ value, label: activity.filter[value] }))}
        />
        {known.data && (known.data.size > 0 || keyId !== undefined) && (
          <KeyFilter
            keys={[...known.data.values()]}
            value={keyId}
            onChange={(chosen) => goTo({ tab: 'activity', events: filter, keyId: chosen })}
          />
        )}
      </div>
      {error && (
        <FailureAlert
          title={list.data ? activity.staleFailed : activity.failed}
          error={error}
          isRetrying={list.isFetching || known.isFetching}
          onRetry={retry}
        />
      )}
      {isLoading && !error && <EventListSkeleton />}
      {!isLoading && list.isSuccess && list.groups.length === 0 && (
        <Text c="dimmed">{keyId === undefined ? activity.empty[filter] : activity.emptyOfKey}</Text>
      )}
      {!isLoading && list.groups.length > 0 && (
        <EventList label={activity.listLabel} groups={list.groups} keyOf={(id) => known.data?.get(id)} />
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
