import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { EventList } from '../activity/EventList';
import { useActivity } from '../activity/useActivity';
import type { ApiKey } from '../api/types';
import { statusAt } from '../keys/status';
import type { KeyAction } from '../keys/KeyDialogs';
import { KeyHistory } from '../history/KeyHistory';
import { KeyListSkeleton } from '../keys/KeyListSkeleton';
import { usePanel } from '../panel/context';
import { revokeAction } from '../revoke/revoke-words';
import type { Rotation } from '../rotate/rotation';
import { useTexts } from '../texts';
import { useNow } from '../time/useNow';
import { FailureAlert } from '../ui/FailureAlert';
import { AllFacts } from './AllFacts';
import type { KeyFound } from './useKey';

/** The number of newest events here. The activity has all of them. */
const SHOWN_EVENTS = 5;

interface Props {
  readonly apiKey: ApiKey;
  /** The same key, with its usage if that is loaded. */
  readonly found: KeyFound;
  readonly rotation: Rotation | undefined;
  /** Shows the details of another key. */
  readonly onOpen: (keyId: string) => void;
  readonly onAction: (kind: KeyAction['kind']) => void;
}

export function KeyDetailsBody({ apiKey, found, rotation, onOpen, onAction }: Props) {
  const texts = useTexts();
  const { details, keys } = texts;
  const { goTo } = usePanel();
  const activity = useActivity('all', apiKey.id);
  // The placeholder has the events of the key that was open before.
  const isLoading = activity.isPending || activity.isPlaceholderData;
  const isActive = statusAt(apiKey, useNow()) === 'active';
  return (
    <Stack gap="lg">
      <AllFacts apiKey={apiKey} rotation={rotation} onOpen={onOpen} />
      {isActive && (
        <Group>
          {!rotation && (
            <Button size="xs" variant="default" onClick={() => onAction('rotate')}>
              {keys.rotate}
            </Button>
          )}
          <Button size="xs" variant="default" onClick={() => onAction('revoke')}>
            {revokeAction(apiKey, rotation, texts)}
          </Button>
        </Group>
      )}
      <KeyHistory found={found} />
      <Title order={3} size="h5">
        {details.activity}
      </Title>
      {isLoading && <KeyListSkeleton />}
      {activity.isError && <FailureAlert error={activity.error} onRetry={() => void activity.refetch()} />}
      {!isLoading &&
        activity.isSuccess &&
        (activity.groups.length === 0 ? (
          <Text size="sm" c="dimmed">
            {details.noActivity}
          </Text>
        ) : (
          <EventList
            groups={activity.groups.slice(0, SHOWN_EVENTS)}
            keyOf={() => apiKey}
            label={details.activity}
            isOfOneKey
          />
        ))}
      <Button
        variant="default"
        onClick={() => goTo({ tab: 'activity', events: 'all', keyId: apiKey.id })}
        style={{ alignSelf: 'flex-start' }}
        size="xs"
      >
        {details.allActivity}
      </Button>
    </Stack>
  );
}
