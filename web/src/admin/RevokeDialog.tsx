import { Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { ConfirmAndSubmit } from '../new-key/ConfirmAndSubmit';
import { KeyFacts } from '../key/KeyFacts';
import { useTexts } from '../texts';
import { Dialog } from '../ui/Dialog';
import { nameOf, useAdminTexts } from './texts';
import type { FoundKey } from './types';
import { ApiProblem, hasCode } from '../api/problem';
import { withRetries } from '../api/retry';
import { type FieldErrors, fieldErrorsOf } from '../new-key/fields';
import type { Making } from '../new-key/useNewKey';
import { usePanel } from '../base/context';
import { useOwner } from '../base/owner';
import { MAX_NOTE_LENGTH } from '../rules';
import { NotAdministrator, useEndKey } from './useAllKeys';

interface FormProps {
  readonly apiKey: FoundKey;
  /** What was typed before the administrator left to sign in. */
  readonly note: string;
  /** Called with a message when the key has ended, now or earlier. */
  readonly onOver: (message: string) => void;
  readonly onClose: () => void;
}

interface Props extends FormProps {
  readonly opened: boolean;
  readonly onClosed: () => void;
}

/** Above the drawer, which then shows the end. */
export function RevokeDialog({ opened, onClosed, ...form }: Props) {
  const { revoke } = useTexts();
  return (
    <Dialog opened={opened} onClose={form.onClose} onClosed={onClosed} isOnTop title={revoke.title(form.apiKey.name)}>
      <RevokeForm {...form} />
    </Dialog>
  );
}

function RevokeForm({ apiKey, note, onOver, onClose }: FormProps) {
  const { revoke } = useTexts();
  const admin = useAdminTexts();
  const form = useRevokeForm({ apiKey, note, onOver });
  return (
    <form ref={form.ref} onSubmit={form.submit} noValidate aria-busy={form.isBusy}>
      <Stack gap="md">
        <Text size="sm">
          {admin.belongsTo(nameOf(apiKey.owner))} {revoke.consequence}
        </Text>
        <KeyFacts apiKey={apiKey} />
        <TextInput
          name="note"
          label={admin.note}
          description={admin.noteHint}
          value={form.note}
          onChange={(event) => form.setNote(event.currentTarget.value)}
          error={form.errors.note}
          autoComplete="off"
          data-autofocus
        />
        <ConfirmAndSubmit newKey={form} form={form} submitLabel={revoke.submit} isDangerous onCancel={onClose} />
      </Stack>
    </form>
  );
}

interface Options {
  readonly apiKey: FoundKey;
  readonly note: string;
  readonly onOver: (message: string) => void;
}

/** Checks and sends the form that ends a key, and moves the focus to the first wrong field. */
function useRevokeForm({ apiKey: { id, name }, note: before, onOver }: Options) {
  const texts = useTexts();
  const admin = useAdminTexts();
  const { trip } = usePanel();
  const { end, showAgain } = useEndKey(id);
  const owner = useOwner();
  const asksPassword = owner.data?.confirmation !== 'fresh-sign-in';
  const [note, setNote] = useState(before);
  const [password, setPassword] = useState('');
  const [errors, setErrors] = useState<FieldErrors>({});
  const [making, setMaking] = useState<Making>({ phase: 'idle' });
  const isBusy = making.phase === 'sending' || making.phase === 'retrying';
  const ref = useRef<HTMLFormElement>(null);

  // Kept for an administrator who leaves to sign in.
  useEffect(() => trip?.remember({ typed: { form: 'end', keyId: id, note }, series: undefined }));
  useEffect(() => () => trip?.forget(), [trip]);

  useEffect(() => {
    const [first] = (['note', 'password'] as const).filter((field) => errors[field] !== undefined);
    if (first) ref.current?.querySelector<HTMLElement>(`input[name="${first}"]`)?.focus();
  }, [errors]);

  /** Somebody else has ended the key, or an answer was lost. */
  const overBefore = async (message: string) => {
    await showAgain();
    onOver(message);
  };

  const send = async () => {
    setMaking({ phase: 'sending' });
    const body = { ...(note.trim() && { note: note.trim() }), ...(asksPassword && { password }) };
    try {
      await withRetries(
        () => end(body),
        () => setMaking({ phase: 'retrying' }),
      );
      onOver(admin.done(name));
    } catch (error) {
      // Also after a lost answer.
      if (hasCode(error, 'api_key_not_active')) return overBefore(admin.already(name));
      if (hasCode(error, 'not_found') || error instanceof NotAdministrator) return overBefore(texts.details.unknown);
      // The account has a password now, or passwords are no longer accepted.
      if (hasCode(error, 'invalid_fields')) void owner.refetch();
      if (error instanceof ApiProblem) setPassword('');
      setErrors(fieldErrorsOf(error, texts));
      setMaking({ phase: 'refused', error });
    }
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    const isLong = [...note.normalize('NFC').trim()].length > MAX_NOTE_LENGTH;
    const found = {
      ...(isLong && { note: texts.details.tooLong(MAX_NOTE_LENGTH) }),
      ...(asksPassword && password === '' && { password: texts.create.required.password }),
    };
    setErrors(found);
    if (Object.keys(found).length === 0) void send();
  };

  return { ref, making, isBusy, note, setNote, asksPassword, password, setPassword, errors, submit };
}
