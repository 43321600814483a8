import { Button, Stack } from '@mantine/core';
import type { Texts } from '../texts';
import { DialogFooter } from '../ui/Dialog';
import { FailureAlert } from '../ui/FailureAlert';
import { Notice } from '../ui/Notice';
import { useFocusOnMount } from '../ui/focus';
import type { Lost } from './useNewKey';

interface Props {
  readonly lost: Lost;
  readonly words: Texts['create']['lost'];
  readonly onMakeAgain: () => void;
  readonly onKeep: () => void;
}

export function LostAnswer({ lost, words, onMakeAgain, onKeep }: Props) {
  const makeAgain = useFocusOnMount<HTMLButtonElement>();
  const { isReplacing = false, error } = lost;
  return (
    <Stack gap="md">
      <Notice tone="warning" title={words.title}>
        {isReplacing ? words.working : `${words.text(lost.name)} ${words.advice}`}
      </Notice>
      {error !== undefined && <FailureAlert error={error} />}
      <DialogFooter>
        <Button variant="default" onClick={onKeep} disabled={isReplacing}>
          {words.keep}
        </Button>
        <Button ref={makeAgain} onClick={onMakeAgain} loading={isReplacing}>
          {words.again}
        </Button>
      </DialogFooter>
    </Stack>
  );
}
