import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { usePanel } from '../base/context';
import { ACTIVITY_FILTERS, type ActivityFilter } from '../base/place';
import { useTexts } from '../texts';
import { FailureAlert } from '../ui/Notice';
import { ClockIcon } from '../ui/icons';
import classes from './activity.module.css';
import { EventList } from './EventList';
import { ListSkeleton, Nothing } from '../ui/Nothing';
import { useActivity } from './useActivity';
import type { ApiKey } from '../api/types';
import { useApiKeys, useNextPages } from '../key/list';
import { statusAt } from '../key/status';
import { useNow } from '../time/useNow';
import { Select } from '../ui/Select';

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
      <Group>
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
      </Group>
      {error && (
        <FailureAlert
          title={list.data ? activity.staleFailed : activity.failed}
          error={error}
          isRetrying={list.isFetching || known.isFetching}
          onRetry={retry}
        />
      )}
      {isLoading && !error && <ListSkeleton />}
      {!isLoading && list.isSuccess && list.groups.length === 0 && (
        <Nothing icon={<ClockIcon />} title={keyId === undefined ? activity.empty[filter] : activity.emptyOfKey} />
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

interface KeyFilterProps {
  readonly keys: readonly ApiKey[];
  readonly value: string | undefined;
  readonly onChange: (keyId: string | undefined) => void;
}

function KeyFilter({ keys, value, onChange }: KeyFilterProps) {
  const { activity } = useTexts();
  const now = useNow();
  const optionsOf = (isActive: boolean) =>
    keys
      .filter((key) => (statusAt(key, now) === 'active') === isActive)
      .map((key) => ({ value: key.id, label: activity.keyOption(key.name, key.prefix) }));
  const isKnown = value === undefined || keys.some(({ id }) => id === value);
  return (
    <Select
      className={classes.keys}
      aria-label={activity.keyFilterLabel}
      value={value ?? ''}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
      data={[
        { value: '', label: activity.allKeys },
        ...(isKnown ? [] : [{ value, label: activity.unknownName }]),
        { group: activity.activeKeys, items: optionsOf(true) },
        { group: activity.endedKeys, items: optionsOf(false) },
      ].filter((each) => !('items' in each) || each.items.length > 0)}
    />
  );
}

/** The names and prefixes of all keys, because events contain only ids. Newest first. */
function useKnownKeys() {
  const list = useApiKeys();
  useNextPages(list, true);
  const isPending = list.isPending || (list.hasNextPage && !list.isError);
  return { ...list, isPending, data: isPending ? undefined : new Map(list.keys.map((key) => [key.id, key])) };
}
