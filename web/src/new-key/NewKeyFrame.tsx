import { Button, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useOwner } from '../base/owner';
import { type Texts, useTexts } from '../texts';
import { FailureAlert } from '../ui/FailureAlert';
import type { Lost, NewKey } from './useNewKey';
import type { NewKeyForm } from './useNewKeyForm';
import { DialogFooter } from '../ui/Dialog';
import { Notice } from '../ui/Notice';
import { useFocusOnMount } from '../ui/focus';

type LostWords = Omit<Texts['create']['lost'], 'keep'>;

interface Props {
  readonly newKey: NewKey;
  readonly form: NewKeyForm;
  /** Texts for a key whose secret was lost. */
  readonly lostWords: LostWords;
  readonly onKeep: () => void;
  readonly children: ReactNode;
}

/** A form that makes a key. It is replaced while the kind of confirmation is loading, and after a lost answer. */
export function NewKeyFrame({ newKey, form, lostWords, onKeep, children }: Props) {
  const owner = useOwner();
  if (newKey.making.phase === 'lost') {
    return <LostAnswer lost={newKey.making} words={lostWords} onMakeAgain={form.again} onKeep={onKeep} />;
  }
  if (owner.isError && !owner.data) {
    return <FailureAlert error={owner.error} isRetrying={owner.isFetching} onRetry={() => void owner.refetch()} />;
  }
  return (
    <form ref={form.ref} onSubmit={form.submit} noValidate aria-busy={newKey.isBusy}>
      <Stack gap="lg">{children}</Stack>
    </form>
  );
}

interface LostAnswerProps {
  readonly lost: Lost;
  readonly words: LostWords;
  readonly onMakeAgain: () => void;
  readonly onKeep: () => void;
}

function LostAnswer({ lost, words, onMakeAgain, onKeep }: LostAnswerProps) {
  const { create } = useTexts();
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
          {create.lost.keep}
        </Button>
        <Button ref={makeAgain} onClick={onMakeAgain} loading={isReplacing}>
          {words.again}
        </Button>
      </DialogFooter>
    </Stack>
  );
}
