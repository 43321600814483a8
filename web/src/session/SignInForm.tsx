import { Button, Stack, TextInput } from '@mantine/core';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import type { ApiClient } from '../api/client';
import { useTexts } from '../texts';
import { PasswordField } from '../ui/PasswordField';
import { Notice } from '../ui/Notice';
import { useSignIn } from './useSignIn';

interface Props {
  readonly client: ApiClient;
  /** If set, only this person can sign in again. */
  readonly email?: string | undefined;
  /** Gives the focus to the first field; a dialog does so by itself. */
  readonly takesFocus?: boolean;
  readonly onSignedIn: () => void;
}

export function SignInForm({ client, email: knownEmail, takesFocus = false, onSignedIn }: Props) {
  const texts = useTexts();
  const [email, setEmail] = useState(knownEmail ?? '');
  const [password, setPassword] = useState('');
  const [isChecked, setChecked] = useState(false);
  const emailInput = useRef<HTMLInputElement>(null);
  const passwordInput = useRef<HTMLInputElement>(null);
  const { signIn, isSending, failure } = useSignIn(client, onSignedIn);
  const { required } = texts.session;

  useEffect(() => {
    if (takesFocus) emailInput.current?.focus();
  }, [takesFocus]);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (!email.trim()) return emailInput.current?.focus();
    if (!password) return passwordInput.current?.focus();
    if (await signIn(email.trim(), password)) return;
    setPassword('');
    setChecked(false);
    passwordInput.current?.focus();
  };

  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack gap="md">
        {failure && <Notice tone="danger">{failure}</Notice>}
        <TextInput
          ref={emailInput}
          label={texts.session.email}
          type="email"
          name="email"
          autoComplete="username"
          readOnly={knownEmail !== undefined}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={isChecked && !email.trim() && required.email}
          data-autofocus={knownEmail === undefined || undefined}
        />
        <PasswordField
          ref={passwordInput}
          label={texts.session.password}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={isChecked && !password && required.password}
          data-autofocus={knownEmail !== undefined || undefined}
        />
        <Button type="submit" loading={isSending} fullWidth>
          {texts.session.submit}
        </Button>
      </Stack>
    </form>
  );
}
