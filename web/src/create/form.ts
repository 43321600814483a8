import type { AccessLevel, ApiKey } from '../api/types';
import { lifetimeDays } from '../keys/expiry';
import { DEFAULT_EXPIRY_DAYS, MAX_EXPIRY_DAYS, MAX_NAME_LENGTH } from '../rules';
import type { Texts } from '../texts';

export const EXPIRY_PRESETS = [7, 30, 90, 180, 365] as const;

/** The text in the fields, as typed. The password is not part of it, since it is forgotten sooner. */
export interface KeyDraft {
  readonly name: string;
  readonly access: AccessLevel;
  readonly days: string;
}

export type Field = 'name' | 'access' | 'days' | 'password';
export type FieldErrors = Partial<Record<Field, string>>;

/** In the order of the form, so that the first wrong field gets the focus. */
export const FIELDS: readonly Field[] = ['name', 'access', 'days', 'password'];

export const emptyDraft: KeyDraft = { name: '', access: 'read-only', days: String(DEFAULT_EXPIRY_DAYS) };

export function twinOf(key: ApiKey): KeyDraft {
  return { name: key.name, access: key.access, days: String(lifetimeDays(key)) };
}

/** Undefined unless the text is a whole number that the service accepts. */
export function daysOf(typed: string): number | undefined {
  const days = /^\d{1,3}$/.test(typed.trim()) ? Number(typed) : 0;
  return days >= 1 && days <= MAX_EXPIRY_DAYS ? days : undefined;
}

/**
 * The errors that can be found without the service. The service itself decides in the end.
 * @param password undefined where none is asked for
 */
export function checkDraft(draft: KeyDraft, password: string | undefined, { create }: Texts): FieldErrors {
  const { required } = create;
  const name = draft.name.normalize('NFC').trim();
  return {
    ...(name === '' && { name: required.name }),
    ...([...name].length > MAX_NAME_LENGTH && { name: required.nameLength(MAX_NAME_LENGTH) }),
    ...(daysOf(draft.days) === undefined && { days: required.days }),
    ...(password === '' && { password: required.password }),
  };
}
