import { type FormEvent, useEffect, useRef, useState } from 'react';
import { ApiProblem, hasCode } from '../api/problem';
import { withRetries } from '../api/retry';
import type { FieldErrors } from '../new-key/fields';
import { fieldErrorsOf } from '../new-key/refusal-fields';
import type { Making } from '../new-key/useNewKey';
import { usePanel } from '../base/context';
import { useOwner } from '../base/owner';
import { MAX_NOTE_LENGTH } from '../rules';
import { useAdminTexts, useTexts } from '../texts';
import { NotAdministrator } from './as-administrator';
import type { FoundKey } from './types';
import { useEndKey } from './useAllKeys';

interface Options {
  readonly apiKey: FoundKey;
  readonly note: string;
  readonly onOver: (message: string) => void;
}

/** Checks and sends the form that ends a key, and moves the focus to the first wrong field. */
export function useRevokeForm({ apiKey: { id, name }, note: before, onOver }: Options) {
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
