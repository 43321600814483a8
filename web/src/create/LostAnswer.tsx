import { Button, Group, Stack } from '@mantine/core';
import { texts } from '../texts';
import { FailureAlert } from '../ui/FailureAlert';
import { Notice } from '../ui/Notice';
import { useFocusOnMount } from '../ui/useFocusOnMount';
import type { Lost } from './useCreateKey';

interface Props {
  readonly lost: Lost;
  readonly onAnew: () => void;
  readonly onKeep: () => void;
}

export function LostAnswer({ lost, onAnew, onKeep }: Props) {
  const words = texts.create.lost;
  const anew = useFocusOnMount<HTMLButtonElement>();
  const { isReplacing = false, error } = lost;
  return (
    <Stack gap="md">
      <Notice tone="warning" title={words.title}>
        {isReplacing ? words.working : `${words.text(lost.name)} ${words.advice}`}
      </Notice>
      {error !== undefined && <FailureAlert error={error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onKeep} disabled={isReplacing}>
          {words.keep}
        </Button>
        <Button ref={anew} onClick={onAnew} loading={isReplacing}>
          {words.anew}
        </Button>
      </Group>
    </Stack>
  );
}
