import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useOwner } from '../base/owner';
import type { Texts } from '../texts';
import { FailureAlert } from '../ui/FailureAlert';
import { LostAnswer } from './LostAnswer';
import type { NewKey } from './useNewKey';
import type { NewKeyForm } from './useNewKeyForm';

interface Props {
  readonly newKey: NewKey;
  readonly form: NewKeyForm;
  /** Texts for a key whose secret was lost. */
  readonly lostWords: Texts['create']['lost'];
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
