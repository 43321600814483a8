import { ApiProblem, hasCode } from '../api/problem';
import type { Texts } from '../texts';

type Field = 'name' | 'note' | 'access' | 'permissions' | 'grace' | 'expiry' | 'networks' | 'password';
export type FieldErrors = Partial<Record<Field, string>>;

/** In the order of the forms, so that the first wrong field gets the focus. */
export const FIELDS: readonly Field[] = [
  'name',
  'note',
  'access',
  'permissions',
  'grace',
  'expiry',
  'networks',
  'password',
];

/** The service's names for the fields. */
const FIELD_OF: Readonly<Record<string, Field>> = {
  name: 'name',
  note: 'note',
  access: 'access',
  permissions: 'permissions',
  graceSeconds: 'grace',
  expiresInDays: 'expiry',
  allowedNetworks: 'networks',
  password: 'password',
};

/** The errors of a refusal that belong to a field. The rest is shown above the form's buttons. */
export function fieldErrorsOf(error: unknown, { create }: Texts): FieldErrors {
  if (hasCode(error, 'incorrect_password')) return { password: create.wrongPassword };
  if (!(error instanceof ApiProblem)) return {};
  return Object.fromEntries(
    error.errors.flatMap(({ field, message }) => {
      const known = FIELD_OF[field];
      return known ? [[known, create.field(message)]] : [];
    }),
  );
}
