import { Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { hasCode } from '../api/problem';
import type { ApiKey } from '../api/types';
import { usePanel } from '../base/context';
import { useOwner } from '../base/owner';
import { KeyFacts } from '../key/KeyFacts';
import { refreshKeys, showCurrent } from '../key/list';
import { ConfirmAndSubmit } from '../new-key/ConfirmAndSubmit';
import { type FieldErrors, fieldErrorsOf } from '../new-key/fields';
import { SomebodyElse, useFreshSignIn } from '../new-key/useFreshSignIn';
import type { Making } from '../new-key/useNewKey';
import { useTexts } from '../texts';
import { Dialog } from '../ui/Dialog';
import { resumeTexts } from '../key/resume-texts';

interface Props {
  readonly apiKey: ApiKey;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onClosed: () => void;
}

/** Ends a pause early. It is confirmed like a creation, because a paused key may be one that somebody stole. */
export function ResumeDialog({ apiKey, opened, onClose, onClosed }: Props) {
  const words = resumeTexts(useTexts().language);
  return (
    words && (
      <Dialog opened={opened} onClose={onClose} onClosed={onClosed} title={words.title(apiKey.name)}>
        <ResumeForm apiKey={apiKey} words={words} onClose={onClose} />
      </Dialog>
    )
  );
}

interface FormProps {
  readonly apiKey: ApiKey;
  readonly words: NonNullable<ReturnType<typeof resumeTexts>>;
  readonly onClose: () => void;
}

function ResumeForm({ apiKey, words, onClose }: FormProps) {
  const texts = useTexts();
  const { client, account, announce, startAgain, trip } = usePanel();
  const queryClient = useQueryClient();
  const asksPassword = useOwner().data?.confirmation !== 'fresh-sign-in';
  const [password, setPassword] = useState('');
  const [errors, setErrors] = useState<FieldErrors>({});
  const [making, setMaking] = useState<Making>({ phase: 'idle' });
  const isBusy = making.phase === 'sending' || making.phase === 'confirming';
  const { confirmed, giveUp } = useFreshSignIn((isWaiting) =>
    setMaking({ phase: isWaiting ? 'confirming' : 'sending' }),
  );

  // Kept for a person who leaves to sign in.
  useEffect(() =>
    trip?.remember({ account: account?.id, typed: { form: 'resume', replaced: apiKey }, series: undefined }),
  );
  useEffect(() => () => trip?.forget(), [trip]);

  const over = (message: string) => {
    announce(message);
    onClose();
  };
  const send = async () => {
    setMaking({ phase: 'sending' });
    try {
      const resumed = await confirmed((token) => client.resumeKey(apiKey.id, asksPassword ? { password } : {}, token));
      showCurrent(queryClient, [resumed]);
      over(resumed.pausedUntil ? words.still(apiKey.name) : words.done(apiKey.name));
    } catch (error) {
      if (error instanceof SomebodyElse || hasCode(error, 'another_person')) {
        startAgain();
        return over(texts.create.somebodyElse);
      }
      if (hasCode(error, 'incorrect_password')) setPassword('');
      setErrors(fieldErrorsOf(error, texts));
      setMaking({ phase: 'refused', error });
    } finally {
      void refreshKeys(queryClient);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    const isMissing = asksPassword && password === '';
    setErrors(isMissing ? { password: texts.create.required.password } : {});
    if (!isMissing) void send();
  };

  return (
    <form onSubmit={submit} noValidate aria-busy={isBusy}>
      <Stack gap="md">
        <Text size="sm">{words.consequence}</Text>
        <KeyFacts apiKey={apiKey} />
        <ConfirmAndSubmit
          newKey={{ making, isBusy }}
          form={{ asksPassword, password, setPassword, errors }}
          submitLabel={words.submit}
          onCancel={making.phase === 'confirming' ? giveUp : onClose}
        />
      </Stack>
    </form>
  );
}
