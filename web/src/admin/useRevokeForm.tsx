import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useSearch } from '../base/address';
import type { Typed } from '../base/trip';
import { useConfirmedForm } from '../new-key/useConfirmedForm';
import { textProblems } from '../new-key/fields';
import { useTexts } from '../texts';
import { useAdminTexts } from './texts';
import type { OwnedKey } from './types';
import type { EndOfKey } from './useAllKeys';

type End = (body: EndOfKey, onRetry: () => void) => Promise<void>;

/**
 * A form that ends keys, or resumes one.
 * @param before the note of an administrator who is back from a sign-in
 */
export function useRevokeForm(keys: readonly OwnedKey[], before: string, end: End, resumes = false) {
  const texts = useTexts();
  const [note, setNote] = useState(before);
  const trimmed = note.trim();
  const typed: Typed = { form: 'end', resumes, search: useSearch(), keys, note };
  const form = useConfirmedForm(typed, textProblems({ note }, texts), (proof) =>
    end({ ...(trimmed && { note: trimmed }), ...proof }, () => form.onPhase('retrying')),
  );
  return { ...form, note, setNote };
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
