import { TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { ApiProblem, hasCode } from '../api/problem';
import { useSearch } from '../base/address';
import { usePanel } from '../base/context';
import { useOwner } from '../base/owner';
import { type FieldErrors, fieldErrorsOf } from '../new-key/fields';
import type { Making } from '../new-key/useNewKey';
import { MAX_NOTE_LENGTH } from '../rules';
import { useTexts } from '../texts';
import { useAdminTexts } from './texts';
import type { OwnedKey } from './types';
import type { EndOfKey } from './useAllKeys';

type End = (body: EndOfKey, onRetry: () => void) => Promise<void>;

/**
 * Checks and sends a form that ends keys, and moves the focus to the first wrong field.
 * @param before the note of an administrator who is back from a sign-in
 * @param end throws what refuses the confirmation
 */
export function useRevokeForm(keys: readonly OwnedKey[], before: string, end: End) {
  const texts = useTexts();
  const owner = useOwner();
  const asksPassword = owner.data?.confirmation !== 'fresh-sign-in';
  const [note, setNote] = useState(before);
  const [password, setPassword] = useState('');
  const [errors, setErrors] = useState<FieldErrors>({});
  const [making, setMaking] = useState<Making>({ phase: 'idle' });
  const isBusy = making.phase === 'sending' || making.phase === 'retrying';
  const ref = useRef<HTMLFormElement>(null);

  // Kept for an administrator who leaves to sign in.
  const { trip } = usePanel();
  const search = useSearch();
  useEffect(() => trip?.remember({ typed: { form: 'end', search, keys, note }, series: undefined }));
  useEffect(() => () => trip?.forget(), [trip]);

  useEffect(() => {
    const [first] = (['note', 'password'] as const).filter((field) => errors[field] !== undefined);
    if (first) ref.current?.querySelector<HTMLElement>(`input[name="${first}"]`)?.focus();
  }, [errors]);

  const send = async () => {
    setMaking({ phase: 'sending' });
    const body = { ...(note.trim() && { note: note.trim() }), ...(asksPassword && { password }) };
    try {
      await end(body, () => setMaking({ phase: 'retrying' }));
      setMaking({ phase: 'idle' });
    } catch (error) {
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

/** Why the keys end, for the audit trail. */
export function NoteField({ form }: { readonly form: ReturnType<typeof useRevokeForm> }) {
  const admin = useAdminTexts();
  return (
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
  );
}
