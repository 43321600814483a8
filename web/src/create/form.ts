import type { AccessLevel, ApiKey, CreateKeyRequest } from '../api/types';
import { lifetimeDays } from '../keys/expiry';
import { checkDays, daysOf, type FieldErrors } from '../new-key/fields';
import { DEFAULT_EXPIRY_DAYS, MAX_NAME_LENGTH } from '../rules';
import type { Texts } from '../texts';

/** The text in the fields, as typed, without the password, which is deleted sooner. */
export interface KeyDraft {
  readonly name: string;
  readonly access: AccessLevel;
  readonly days: string;
}

export const emptyDraft: KeyDraft = { name: '', access: 'read-only', days: String(DEFAULT_EXPIRY_DAYS) };

/** The choices of an earlier key. */
export function draftLike(key: ApiKey): KeyDraft {
  return { name: key.name, access: key.access, days: String(lifetimeDays(key)) };
}

/** The errors that can be found without the service, which makes the final check. */
export function checkDraft(draft: KeyDraft, texts: Texts): FieldErrors {
  const { required } = texts.create;
  const name = draft.name.normalize('NFC').trim();
  return {
    ...(name === '' && { name: required.name }),
    ...([...name].length > MAX_NAME_LENGTH && { name: required.nameLength(MAX_NAME_LENGTH) }),
    ...checkDays(draft.days, texts),
  };
}

export function requestOf({ name, access, days }: KeyDraft, proof: { readonly password?: string }): CreateKeyRequest {
  return { name, access, expiresInDays: daysOf(days) ?? 0, ...proof };
}
