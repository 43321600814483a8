import { Button, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { ApiClient } from '../api/client';
import { useTexts } from '../texts';
import { PasswordField } from '../ui/PasswordField';
import { describeFailure, Notice } from '../ui/Notice';
import { hasCode } from '../api/problem';

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
  // Not a mutation of TanStack Query, whose cache would keep the password.
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<string>();
  const underWay = useRef(false);

  useEffect(() => {
    if (takesFocus) emailInput.current?.focus();
  }, [takesFocus]);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (!email.trim()) return emailInput.current?.focus();
    if (!password) return passwordInput.current?.focus();
    if (underWay.current) return;
    underWay.current = true;
    setSending(true);
    setFailure(undefined);
    try {
      await client.signIn(email.trim(), password);
      onSignedIn();
    } catch (error) {
      const isWrong = hasCode(error, 'invalid_credentials', 'invalid_fields');
      setFailure(isWrong ? texts.session.wrong : describeFailure(error, texts));
      if (isWrong) setPassword('');
      setChecked(false);
      passwordInput.current?.focus();
    } finally {
      underWay.current = false;
      setSending(false);
    }
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
          error={isChecked && !email.trim() && texts.session.emailRequired}
          data-autofocus={knownEmail === undefined || undefined}
        />
        <PasswordField
          ref={passwordInput}
          label={texts.session.password}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={isChecked && !password && texts.create.required.password}
          data-autofocus={knownEmail !== undefined || undefined}
        />
        <Button type="submit" loading={isSending} fullWidth>
          {texts.session.submit}
        </Button>
      </Stack>
    </form>
  );
}
