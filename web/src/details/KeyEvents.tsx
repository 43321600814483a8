import { Text, Title } from '@mantine/core';
import { useId } from 'react';
import { EventList } from '../activity/EventList';
import { EventListSkeleton } from '../activity/EventListSkeleton';
import type { useActivity } from '../activity/useActivity';
import type { ApiKey } from '../api/types';
import { PlaceLink } from '../ui/PlaceLink';
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
        <PlaceLink place={{ tab: 'activity', events: 'all', keyId: apiKey.id }} className={classes.link}>
          {details.allActivity}
        </PlaceLink>
      )}
    </section>
  );
}
