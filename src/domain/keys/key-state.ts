import type { AccessLevel } from '../accounts/access-level.js';
import type { KeyRestrictions } from './key-restrictions.js';
import { type KeyPauses, NEVER_PAUSED, type KeyTimes } from './key-status.js';
import type { Narrowing } from './narrowing.js';

/** Set when the key is made. */
export interface FixedKeyState extends Pick<KeyTimes, 'expiresAt'>, KeyRestrictions {
  readonly id: string;
  readonly ownerId: string;
  /** The manager who made the key of a service account. Null: the owner. */
  readonly createdBy: string | null;
  readonly access: AccessLevel;
  readonly keyPrefix: string;
  /** Of an imported key: see `importedPart`. */
  readonly publicPart: string;
  /** What lists show of an imported key. Null: the key was made here. */
  readonly displayPrefix: string | null;
  readonly createdAt: Date;
  readonly replaces: string | null;
  /** Only of a successor: how long the old key keeps working after this key's first use. */
  readonly graceSeconds: number | null;
}

/** What can change later. Only `ApiKey.change` changes it, and each change saves all of it. */
export interface ChangingKeyState extends Omit<KeyTimes, 'expiresAt'>, KeyPauses {
  readonly name: string;
  readonly note: string | null;
  readonly replacedBy: string | null;
  /** Only of an old key whose successor is in use: its `endsAt` before that, from an earlier successor. */
  readonly priorEndsAt: Date | null;
  /** Only of a successor. */
  readonly firstUsedAt: Date | null;
  /** See `storedDigest`. */
  readonly digest: Buffer;
}

export interface ApiKeyState extends FixedKeyState, ChangingKeyState {}

export interface KeyOrder {
  readonly id: string;
  readonly ownerId: string;
  /** The person who makes it. Undefined: the owner. */
  readonly createdBy?: string | undefined;
  readonly name: string;
  readonly note?: string | undefined;
  readonly access: AccessLevel;
  readonly expiresInDays: number;
  /** Each must be covered by what the owner may give: see `requireGivable`. Undefined: all that the owner has. */
  readonly permissions?: readonly string[] | undefined;
  readonly allowedNetworks?: readonly string[] | undefined;
}

/** A key that another system made. Its rules are those of `requireImportable`. */
export interface ImportOrder extends Omit<KeyOrder, 'createdBy' | 'note' | 'expiresInDays'> {
  /** SHA-256 of the whole imported string. */
  readonly sha256: Buffer;
  readonly displayPrefix: string;
  readonly expiresAt: Date;
}

/** What the owner may change: a field that is undefined stays as it is, and an empty note removes the note. */
export interface Renaming {
  readonly name?: string | undefined;
  readonly note?: string | undefined;
}

export type KeyLabel = Pick<ApiKeyState, 'name' | 'note'>;

export interface RotationOrder extends Narrowing {
  readonly id: string;
  /** The person who rotates the key. Undefined: the owner. */
  readonly createdBy?: string | undefined;
  /** Undefined: the same lifetime as the old key, or as much of it as the policy allows. */
  readonly expiresInDays: number | undefined;
  readonly graceSeconds: number;
  /** The old key ends at once. */
  readonly leaked?: boolean | undefined;
}

export const UNTOUCHED = {
  createdBy: null,
  displayPrefix: null,
  permissions: null,
  allowedNetworks: null,
  revokedAt: null,
  expiredAt: null,
  endsAt: null,
  replaces: null,
  replacedBy: null,
  priorEndsAt: null,
  graceSeconds: null,
  firstUsedAt: null,
  ...NEVER_PAUSED,
} as const;
