import { Button, Group, Stack } from '@mantine/core';
import { useTexts } from '../texts';
import { FailureAlert } from '../ui/FailureAlert';
import { Notice } from '../ui/Notice';
import { useFocusOnMount } from '../ui/useFocusOnMount';
import type { Lost } from './useCreateKey';

interface Props {
  readonly lost: Lost;
  readonly onCreateAgain: () => void;
  readonly onKeep: () => void;
}

export function LostAnswer({ lost, onCreateAgain, onKeep }: Props) {
  const words = useTexts().create.lost;
  const createAgain = useFocusOnMount<HTMLButtonElement>();
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
        <Button ref={createAgain} onClick={onCreateAgain} loading={isReplacing}>
          {words.anew}
        </Button>
      </Group>
    </Stack>
  );
}
