import { Stack, Text, Title } from '@mantine/core';
import { useId } from 'react';
import { useActivity } from '../activity/useActivity';
import type { ApiKey } from '../api/types';
import { Usage } from '../history/Usage';
import type { Rotation } from '../key/rotation';
import { useTexts } from '../texts';
import { CopyId } from './CopyId';
import classes from './details.module.css';
import { Facts } from './Facts';
import { KeyEvents } from './KeyEvents';
import { OtherKey } from './OtherKey';
import { RenameForm } from './RenameForm';
import type { KeyFound } from '../key/list';
import { WhatToDo, type NextStep } from './WhatToDo';

interface Props {
  readonly apiKey: ApiKey;
  /** The same key, with its usage if that is loaded. */
  readonly found: KeyFound;
  readonly rotation: Rotation | undefined;
  readonly isRenaming: boolean;
  readonly onRenamed: () => void;
  /** Shows the details of another key. */
  readonly onOpen: (keyId: string) => void;
  readonly onNext: (step: NextStep) => void;
}

/** Each section appears only when those above it have their height, so that nothing moves while it loads. */
export function KeyDetailsBody({ apiKey, found, rotation, isRenaming, onRenamed, onOpen, onNext }: Props) {
  const { details } = useTexts();
  const factsId = useId();
  const activity = useActivity('all', apiKey.id);
  // The placeholder has the events of the key that was open before.
  const isActivityLoading = activity.isPending || activity.isPlaceholderData;
  const isUsageThere = found.isError || found.key?.days !== undefined;
  return (
    <Stack gap="lg">
      {isRenaming ? (
        <RenameForm apiKey={apiKey} onDone={onRenamed} />
      ) : (
        apiKey.note !== null && (
          <Text size="sm" className={classes.note}>
            {apiKey.note}
          </Text>
        )
      )}
      <WhatToDo apiKey={apiKey} rotation={rotation} onOpen={onOpen} onNext={onNext} />
      <Usage found={found} />
      {isUsageThere && <KeyEvents apiKey={apiKey} activity={activity} isLoading={isActivityLoading} />}
      {isUsageThere && !isActivityLoading && (
        <section aria-labelledby={factsId} className={classes.section}>
          <Title order={3} size="h5" id={factsId}>
            {details.facts}
          </Title>
          <Facts apiKey={apiKey} rotation={rotation} linkTo={(id) => <OtherKey id={id} onOpen={onOpen} />} />
          <CopyId id={apiKey.id} />
        </section>
      )}
    </Stack>
  );
}
