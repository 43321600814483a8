import type { AccessLevel } from './access.js';
import type { KeyTimes } from './key-status.js';

export interface ApiKeyState extends KeyTimes {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string;
  readonly access: AccessLevel;
  readonly keyPrefix: string;
  readonly publicPart: string;
  /** SHA-256 of the key string. */
  readonly digest: Buffer;
  readonly createdAt: Date;
  /** The key that this one is to replace, and the one that is to replace this one. */
  readonly replaces: string | null;
  readonly replacedBy: string | null;
  /** Of a key that replaces another: for how long that one goes on once this one is in use. */
  readonly graceSeconds: number | null;
  /** Of a key that replaces another. */
  readonly firstUsedAt: Date | null;
}

export interface KeyOrder {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string;
  readonly access: AccessLevel;
  readonly expiresInDays: number;
}

export interface RotationOrder {
  /** Of the successor. */
  readonly id: string;
  /** As many as the key itself was given, unless said. */
  readonly expiresInDays: number | undefined;
  readonly graceSeconds: number;
}

/** What a key that was just made has not been through yet. */
export const UNTOUCHED = {
  revokedAt: null,
  expiredAt: null,
  endsAt: null,
  replaces: null,
  replacedBy: null,
  graceSeconds: null,
  firstUsedAt: null,
} as const;
