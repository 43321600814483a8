import { Button, Stack } from '@mantine/core';
import type { ComponentProps } from 'react';
import { useOwner } from '../base/context';
import { type Texts, useTexts } from '../texts';
import { FailureAlert, Notice } from '../ui/Notice';
import { ConfirmedForm } from './ConfirmedForm';
import type { Lost } from './useNewKey';
import type { NewKeyForm } from './useConfirmedForm';
import { DialogFooter } from '../ui/Dialog';
import { useFocusOnMount } from '../ui/focus';

type LostWords = Texts['rotate']['lost'];

interface Props extends ComponentProps<typeof ConfirmedForm> {
  readonly form: NewKeyForm;
  /** Texts for a key whose secret was lost. */
  readonly lostWords: LostWords;
}

/** A form that makes a key. It is replaced while the kind of confirmation is loading, and after a lost answer. */
export function NewKeyFrame({ lostWords, ...props }: Props) {
  const { form, onCancel } = props;
  const owner = useOwner();
  if (form.making.phase === 'lost') {
    return <LostAnswer lost={form.making} words={lostWords} onMakeAgain={form.again} onKeep={onCancel} />;
  }
  if (owner.isError && !owner.data) {
    return <FailureAlert error={owner.error} isRetrying={owner.isFetching} onRetry={() => void owner.refetch()} />;
  }
  return <ConfirmedForm {...props} />;
}

interface LostAnswerProps {
  readonly lost: Lost;
  readonly words: LostWords;
  readonly onMakeAgain: () => void;
  readonly onKeep: () => void;
}

function LostAnswer({ lost, words, onMakeAgain, onKeep }: LostAnswerProps) {
  const { title, text, working, keep } = useTexts().create.lost;
  const makeAgain = useFocusOnMount<HTMLButtonElement>();
  const { isReplacing = false, error } = lost;
  return (
    <Stack gap="md">
      <Notice tone="warning" title={title}>
        {isReplacing ? working : `${text(lost.name)} ${words.advice}`}
      </Notice>
      {error !== undefined && <FailureAlert error={error} />}
      <DialogFooter>
        <Button variant="default" onClick={onKeep} disabled={isReplacing}>
          {keep}
        </Button>
        <Button ref={makeAgain} onClick={onMakeAgain} loading={isReplacing}>
          {words.again}
        </Button>
      </DialogFooter>
    </Stack>
  );
}
