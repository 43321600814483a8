import { MAX_EXPIRY_DAYS } from '../rules';
import type { Texts } from '../texts';

export const EXPIRY_PRESETS = [7, 30, 90, 180, 365] as const;

export type Field = 'name' | 'access' | 'grace' | 'days' | 'password';
export type FieldErrors = Partial<Record<Field, string>>;

/** In the order of the forms, so that the first wrong field gets the focus. */
export const FIELDS: readonly Field[] = ['name', 'access', 'grace', 'days', 'password'];

/** Undefined unless the text is a whole number that the service accepts. */
export function daysOf(typed: string): number | undefined {
  const days = /^\d{1,3}$/.test(typed.trim()) ? Number(typed) : 0;
  return days >= 1 && days <= MAX_EXPIRY_DAYS ? days : undefined;
}

export function checkDays(typed: string, { create }: Texts): FieldErrors {
  return daysOf(typed) === undefined ? { days: create.required.days } : {};
}
