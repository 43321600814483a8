import { Stack, Text, UnstyledButton } from '@mantine/core';
import { useActivity } from '../activity/useActivity';
import type { ApiKey } from '../api/types';
import { Usage } from '../history/Usage';
import { pauseOf, type Rotation, statusAt } from '../key/status';
import { useTexts } from '../texts';
import { Facts, Summary } from './Facts';
import classes from './details.module.css';
import { PermissionUse } from './PermissionUse';
import { RotationTimeline } from './RotationTimeline';
import { type KeyFound, useKey, usePermissions } from '../key/useKey';
import { type NextStep, WhatToDo } from './WhatToDo';
import { EventsOfKey } from '../activity/EventList';
import { ListSkeleton } from '../ui/Nothing';
import { PlaceLink } from '../ui/links';
import { CurlExample } from '../reveal/Snippets';
import { useNow } from '../time/useNow';
import { FailureAlert } from '../ui/Notice';
import { Section } from '../ui/Section';
import surface from '../ui/surface.module.css';

interface Props {
  readonly apiKey: ApiKey;
  /** The same key, with its usage if that is loaded. */
  readonly found: KeyFound;
  readonly rotation: Rotation | undefined;
  /** The form for it has the note, and the main button. */
  readonly isRenaming: boolean;
  /** Shows the details of another key. */
  readonly onOpen: (keyId: string) => void;
  readonly onNext: (step: NextStep) => void;
}

/** Each section appears only when those above it have their height, so that nothing moves while it loads. */
export function KeyDetailsBody({ apiKey, found, rotation, isRenaming, onOpen, onNext }: Props) {
  const activity = useActivity('all', apiKey.id);
  // The placeholder has the events of the key that was open before.
  const isActivityLoading = activity.isPending || activity.isPlaceholderData;
  const now = useNow();
  const isActive = statusAt(apiKey, now) === 'active';
  const isUsageThere = found.isError || found.key?.days !== undefined;
  const isUseThere = !usePermissions().isPending && isUsageThere;
  return (
    <Stack gap="xl">
      <Stack gap="md">
        <Summary apiKey={apiKey} />
        {!isRenaming && apiKey.note !== null && (
          <Text size="sm" className={classes.note}>
            {apiKey.note}
          </Text>
        )}
      </Stack>
      {!isRenaming && <WhatToDo apiKey={apiKey} rotation={rotation} onOpen={onOpen} onNext={onNext} />}
      {rotation && <RotationTimeline rotation={rotation} />}
      <Usage found={found} {...(isActive && { unused: <CurlExample /> })} />
      {found.key && isUseThere && (
        <PermissionUse apiKey={found.key} isFree={!rotation && !pauseOf(apiKey, now)} onNarrower={onNext} />
      )}
      {isUseThere && <KeyEvents apiKey={apiKey} activity={activity} isLoading={isActivityLoading} />}
      {isUseThere && !isActivityLoading && (
        <Facts apiKey={apiKey} rotation={rotation} linkTo={(id) => <OtherKey id={id} onOpen={onOpen} />} />
      )}
    </Stack>
  );
}

/** The number of newest events here. The activity has all of them. */
const SHOWN_EVENTS = 5;

interface KeyEventsProps {
  readonly apiKey: ApiKey;
  readonly activity: ReturnType<typeof useActivity>;
  readonly isLoading: boolean;
}

function KeyEvents({ apiKey, activity, isLoading }: KeyEventsProps) {
  const { details } = useTexts();
  return (
    <Section title={details.history}>
      {isLoading && <ListSkeleton rows={2} />}
      {activity.isError && <FailureAlert error={activity.error} onRetry={() => void activity.refetch()} />}
      {!isLoading && activity.isSuccess && (
        <EventsOfKey groups={activity.groups.slice(0, SHOWN_EVENTS)} apiKey={apiKey} />
      )}
      {!isLoading && (
        <PlaceLink place={{ tab: 'activity', events: 'all', keyId: apiKey.id }} className={surface.link}>
          {details.allActivity}
        </PlaceLink>
      )}
    </Section>
  );
}

interface OtherKeyProps {
  readonly id: string;
  readonly onOpen: (keyId: string) => void;
}

function OtherKey({ id, onOpen }: OtherKeyProps) {
  const { details } = useTexts();
  const { key } = useKey(id);
  return (
    <UnstyledButton className={surface.link} onClick={() => onOpen(id)}>
      {key ? details.otherKey(key.prefix) : details.otherKeyGone}
    </UnstyledButton>
  );
}
