import { Button, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useOwner, usePanel } from '../base/context';
import { useTexts } from '../texts';
import { DialogFooter } from '../ui/Dialog';
import { PasswordField } from '../ui/PasswordField';
import { Refusal, saysSignIn, SignInResult } from './Refusal';
import type { NewKeyForm, useConfirmedForm } from './useConfirmedForm';

interface Props {
  readonly form: NewKeyForm | ReturnType<typeof useConfirmedForm>;
  readonly submitLabel: string;
  /** Something ends at once. */
  readonly isDangerous?: boolean;
  /** The answer comes only once no service accepts the key any more. */
  readonly stopsKey?: boolean;
  readonly onCancel: () => void;
  readonly children: ReactNode;
}

/** A form that makes a key, resumes one or ends that of another owner: the fields, the confirmation, and the buttons. */
export function ConfirmedForm({ form, submitLabel, isDangerous = false, onCancel, ...given }: Props) {
  const { stopsKey = isDangerous } = given;
  const { making, isBusy } = form;
  const texts = useTexts();
  const { create, revoke } = texts;
  const { trip } = usePanel();
  const email = useOwner().data?.email ?? '';
  return (
    <form ref={form.ref} onSubmit={form.submit} noValidate aria-busy={isBusy}>
      <Stack gap="lg">
        {given.children}
        {form.asksPassword ? (
          <>
            {/* Browsers write a saved name into the text field before a password: without this one, into the note. */}
            <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
            <PasswordField
              data-autofocus
              label={create.password}
              description={create.passwordHint}
              value={form.password}
              onChange={(event) => form.setPassword(event.currentTarget.value)}
              error={form.errors.password}
            />
          </>
        ) : (
          !saysSignIn(making, trip) && (
            <Text size="sm" c="dimmed">
              {create.confirmation.hint}
            </Text>
          )
        )}
        {making.phase === 'idle' && <SignInResult submitLabel={submitLabel} />}
        <Refusal making={making} />
        <DialogFooter>
          <Text size="sm" c="dimmed" role="status" flex={1}>
            {making.phase === 'sending' && stopsKey && revoke.stopping}
            {making.phase === 'retrying' && create.retrying}
            {making.phase === 'confirming' && create.confirming}
          </Text>
          <Button variant="default" onClick={onCancel} disabled={isBusy && making.phase !== 'confirming'}>
            {texts.cancel}
          </Button>
          <Button type="submit" loading={isBusy} {...(isDangerous && { color: 'red' })}>
            {submitLabel}
          </Button>
        </DialogFooter>
      </Stack>
    </form>
  );
}
