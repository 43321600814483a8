import { useEffect, useRef, useState } from 'react';
import { ApiProblem, hasCode } from '../api/problem';
import { MAX_NAME_LENGTH, MAX_NOTE_LENGTH } from '../rules';
import type { Texts } from '../texts';
import { focusField } from '../ui/focus';

/** By the service's names, in the order of the forms, so that the first wrong field gets the focus. */
const FIELD_OF = {
  name: 'name',
  note: 'note',
  access: 'access',
  permissions: 'permissions',
  graceSeconds: 'grace',
  expiresInDays: 'expiry',
  allowedNetworks: 'networks',
  password: 'password',
} as const;

type Field = (typeof FIELD_OF)[keyof typeof FIELD_OF];
export type FieldErrors = Partial<Record<Field, string>>;
const FIELDS: readonly Field[] = Object.values(FIELD_OF);

/** The errors of a refusal that belong to a field. The rest is shown above the form's buttons. */
export function fieldErrorsOf(error: unknown, { create }: Texts): FieldErrors {
  if (hasCode(error, 'incorrect_password')) return { password: create.wrongPassword };
  if (!(error instanceof ApiProblem)) return {};
  return Object.fromEntries(
    error.errors.flatMap(({ field, message }) => {
      const known = (FIELD_OF as Readonly<Record<string, Field>>)[field];
      return known ? [[known, create.field(message)]] : [];
    }),
  );
}

/** What is wrong with a name and a note, as far as the screen can find it. */
export function textProblems(
  { name, note }: { readonly name?: string; readonly note: string },
  { create: { required } }: Texts,
): FieldErrors {
  return {
    ...(name !== undefined && lengthOf(name) === 0 && { name: required.name }),
    ...(name !== undefined && lengthOf(name) > MAX_NAME_LENGTH && { name: required.length(MAX_NAME_LENGTH) }),
    ...(lengthOf(note) > MAX_NOTE_LENGTH && { note: required.length(MAX_NOTE_LENGTH) }),
  };
}

/** A pasted tab, for example, is a space: the service takes no control characters. */
export const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ');

/** As the service counts the characters. */
const lengthOf = (text: string): number => [...text.normalize('NFC').trim()].length;

/** The errors of the fields of a form. The first wrong field gets the focus. */
export function useFieldErrors() {
  const ref = useRef<HTMLFormElement>(null);
  const [errors, setErrors] = useState<FieldErrors>({});
  useEffect(() => {
    const first = FIELDS.find((field) => errors[field] !== undefined);
    if (first) focusField(ref.current, first);
  }, [errors]);
  return { ref, errors, setErrors };
}
