import { ApiProblem, hasCode } from '../api/problem';
import type { Texts } from '../texts';

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
export const FIELDS: readonly Field[] = Object.values(FIELD_OF);

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

/** As the service counts the characters of a name or a note. */
export const lengthOf = (text: string): number => [...text.normalize('NFC').trim()].length;
