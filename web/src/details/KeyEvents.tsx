import { Button, Text, Title } from '@mantine/core';
import { useId } from 'react';
import { EventList, EventListSkeleton } from '../activity/EventList';
import type { useActivity } from '../activity/useActivity';
import type { ApiKey } from '../api/types';
import { usePanel } from '../panel/context';
import { useTexts } from '../texts';
import { FailureAlert } from '../ui/FailureAlert';
import classes from './details.module.css';

/** The number of newest events here. The activity has all of them. */
const SHOWN_EVENTS = 5;

interface Props {
  readonly apiKey: ApiKey;
  readonly activity: ReturnType<typeof useActivity>;
  readonly isLoading: boolean;
}

export function KeyEvents({ apiKey, activity, isLoading }: Props) {
  const { details } = useTexts();
  const { goTo } = usePanel();
  const titleId = useId();
  return (
    <section aria-labelledby={titleId} className={classes.section}>
      <Title order={3} size="h5" id={titleId}>
        {details.history}
      </Title>
      {isLoading && <EventListSkeleton rows={2} />}
      {activity.isError && <FailureAlert error={activity.error} onRetry={() => void activity.refetch()} />}
      {!isLoading &&
        activity.isSuccess &&
        (activity.groups.length === 0 ? (
          <Text size="sm" c="dimmed">
            {details.noHistory}
          </Text>
        ) : (
          <EventList
            groups={activity.groups.slice(0, SHOWN_EVENTS)}
            keyOf={() => apiKey}
            label={details.history}
            isOfOneKey
          />
        ))}
      {!isLoading && (
        <Button size="xs" variant="default" onClick={() => goTo({ tab: 'activity', events: 'all', keyId: apiKey.id })}>
          {details.allActivity}
        </Button>
      )}
    </section>
  );
}
