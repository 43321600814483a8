import { MAX_KEY_DAYS } from '../accounts/entitlements.js';
import { optional, requireFields, type Rule, wholeNumberProblem } from '../errors.js';
import { normalizeName, showsNothing } from '../names.js';
import { withoutSecrets } from '../secrets.js';
import { accessProblem } from '../accounts/access-level.js';
import { allowedNetworksProblem } from './allowed-networks.js';
import { keyPermissionsProblem } from './key-restrictions.js';

export const DEFAULT_EXPIRY_DAYS = 90;
export const MAX_NAME_LENGTH = 64;
export const MAX_NOTE_LENGTH = 200;
/** How long the old key keeps working after the first use of its successor, by default. */
export const DEFAULT_GRACE_SECONDS = 86_400;
export const MAX_GRACE_SECONDS = 604_800;

export function normalizeKeyNote(note: string): string | null {
  return normalizeName(note) || null;
}

export function keyNameProblem(value: unknown): string | undefined {
  const problem = lineProblem(value, MAX_NAME_LENGTH);
  return problem ?? (showsNothing(value as string) ? 'must not be empty' : undefined);
}

export function keyNoteProblem(value: unknown): string | undefined {
  return lineProblem(value, MAX_NOTE_LENGTH);
}

/** The length is counted in code points after NFC. People paste keys into any field, and names and notes are stored. */
function lineProblem(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== 'string') return 'must be text';
  if (/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(value)) return 'must not contain control characters';
  if ([...normalizeName(value)].length > maxLength) return `must be at most ${maxLength} characters`;
  return withoutSecrets(value) === value ? undefined : 'must not contain an API key';
}

/** The days of every key. An owner's policy may allow fewer. */
export function expiryDaysProblem(value: unknown): string | undefined {
  return wholeNumberProblem(value, 1, MAX_KEY_DAYS);
}

/** What the caller chooses for a new key. Every door uses these rules. */
export const KEY_FIELDS = {
  name: keyNameProblem,
  note: optional(keyNoteProblem),
  access: accessProblem,
  expiresInDays: expiryDaysProblem,
  permissions: optional(keyPermissionsProblem),
  allowedNetworks: optional(allowedNetworksProblem),
} as const satisfies Readonly<Record<string, Rule>>;

/** The rules for a rotation, but for what the old key allows: see `narrowed`. */
export const ROTATION_FIELDS = {
  expiresInDays: optional(expiryDaysProblem),
  access: optional(accessProblem),
  permissions: optional(keyPermissionsProblem),
  allowedNetworks: optional((value) =>
    Array.isArray(value) && value.length === 0 ? undefined : allowedNetworksProblem(value),
  ),
  graceSeconds: (value) => wholeNumberProblem(value, 0, MAX_GRACE_SECONDS),
  leaked: optional((value) => (typeof value === 'boolean' ? undefined : 'must be true or false')),
} as const satisfies Readonly<Record<string, Rule>>;

/** A caller chooses it for one creation or rotation, and repeats it when the answer was lost. */
export function idempotencyKeyProblem(value: string): string | undefined {
  if (!/^[\x21-\x7e]{1,255}$/.test(value)) return 'must be 1 to 255 visible ASCII characters';
  return withoutSecrets(value) === value ? undefined : 'must not contain an API key: use a new value, such as a UUID';
}

export const RENAMING_FIELDS = {
  name: optional(keyNameProblem),
  note: optional(keyNoteProblem),
} as const satisfies Readonly<Record<string, Rule>>;

/** How long the old key keeps working after the first use of its successor. A leaked key ends at once. */
export function graceSecondsOf({ graceSeconds, leaked }: RotationWish): number {
  if (!leaked) return graceSeconds ?? DEFAULT_GRACE_SECONDS;
  requireFields({ graceSeconds: graceSeconds ? 'must be 0 or left out: a leaked key ends at once' : undefined });
  return 0;
}

interface RotationWish {
  readonly graceSeconds?: number | undefined;
  readonly leaked?: boolean | undefined;
}

export function requireValid<Field extends string>(
  rules: Readonly<Record<Field, Rule>>,
  fields: Readonly<Partial<Record<NoInfer<Field>, unknown>>>,
): void {
  const names = Object.keys(rules) as Field[];
  requireFields(Object.fromEntries(names.map((name) => [name, rules[name](fields[name])])));
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function isKeyId(text: string): boolean {
  return UUID.test(text);
}

/** How many marks of a key are kept. */
export const HANDLED_KEPT = 8;
/** The kind of what needed attention, and the day of its last occurrence in UTC: a later one has another mark. */
export const HANDLED_MARK = /^[a-z]{1,20} \d{4}-\d{2}-\d{2}$/;

export function handledMarkProblem(value: unknown): string | undefined {
  return typeof value === 'string' && HANDLED_MARK.test(value)
    ? undefined
    : 'must be a kind and a day, such as expired 2026-11-27';
}
