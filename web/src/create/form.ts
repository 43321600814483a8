import type { AccessLevel, ApiKey, CreateKeyRequest } from '../api/types';
import { lifetimeDays } from '../keys/expiry';
import { daysOf, expiryIn, type Expiry } from '../new-key/expiry';
import type { FieldErrors } from '../new-key/fields';
import { DEFAULT_EXPIRY_DAYS, MAX_NAME_LENGTH, MAX_NOTE_LENGTH } from '../rules';
import type { Texts } from '../texts';

/** The text in the fields, as typed, without the password, which is deleted sooner. */
export interface KeyDraft {
  readonly name: string;
  readonly note: string;
  readonly access: AccessLevel;
  readonly expiry: Expiry;
}

/** @param like an earlier key, whose choices are filled in */
export function newDraft(like?: ApiKey): KeyDraft {
  const { name = '', access = 'read-only' } = like ?? {};
  const days = like ? lifetimeDays(like) : DEFAULT_EXPIRY_DAYS;
  return { name, note: like?.note ?? '', access, expiry: expiryIn(days, Date.now()) };
}

/** The errors that can be found without the service, which makes the final check. */
export function checkDraft({ name, note, expiry }: KeyDraft, { create: { required } }: Texts): FieldErrors {
  const nameLength = lengthOf(name);
  return {
    ...(nameLength === 0 && { name: required.name }),
    ...(nameLength > MAX_NAME_LENGTH && { name: required.length(MAX_NAME_LENGTH) }),
    ...(lengthOf(note) > MAX_NOTE_LENGTH && { note: required.length(MAX_NOTE_LENGTH) }),
    ...(daysOf(expiry, Date.now()) === undefined && { expiry: required.date }),
  };
}

/** As the service counts it. */
function lengthOf(text: string): number {
  return [...text.normalize('NFC').trim()].length;
}

export function requestOf(draft: KeyDraft, proof: { readonly password?: string }): CreateKeyRequest {
  const { name, note, access, expiry } = draft;
  const expiresInDays = daysOf(expiry, Date.now()) ?? 0;
  return { name, access, expiresInDays, ...(note.trim() !== '' && { note }), ...proof };
}
