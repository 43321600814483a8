import { Button, Text } from '@mantine/core';
import { usePanel } from '../base/context';
import { useOwner } from '../base/owner';
import { useTexts } from '../texts';
import { DialogFooter } from '../ui/Dialog';
import { PasswordField } from '../ui/PasswordField';
import { Refusal, saysSignIn, SignInResult } from './Refusal';
import type { NewKey } from './useNewKey';
import type { NewKeyForm } from './useNewKeyForm';

interface Props {
  readonly newKey: Pick<NewKey, 'making' | 'isBusy'>;
  readonly form: Pick<NewKeyForm, 'asksPassword' | 'password' | 'setPassword' | 'errors'>;
  readonly submitLabel: string;
  /** Something ends at once. */
  readonly isDangerous?: boolean;
  /** The answer comes only once no service accepts the key any more. */
  readonly stopsKey?: boolean;
  readonly onCancel: () => void;
}

/** The end of a form that makes a key, or ends that of another owner: the confirmation, a refusal, and the buttons. */
export function ConfirmAndSubmit({ newKey, form, submitLabel, isDangerous = false, onCancel, ...given }: Props) {
  const { stopsKey = isDangerous } = given;
  const { making, isBusy } = newKey;
  const texts = useTexts();
  const { create, revoke } = texts;
  const { trip } = usePanel();
  const email = useOwner().data?.email ?? '';
  return (
    <>
      {form.asksPassword ? (
        <>
          {/* Browsers write a saved name into the text field before a password: without this one, into the note. */}
          <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
          <PasswordField
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
    </>
  );
}
