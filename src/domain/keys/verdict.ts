import type { Attribute } from '../accounts/entitlements.js';
import type { AccessLevel } from '../accounts/access-level.js';

/** Failed authentications: no identity is proven, or the address is wrong. The others limit a proven key. */
const FAILED_AUTHENTICATION = [
  'invalid-key',
  'revoked',
  'expired',
  'paused',
  'owner-suspended',
  'owner-deleted',
  'address-not-allowed',
] as const;

/** In the order of judgement, except that an owner can't be both suspended and deleted. */
export const DENIAL_REASONS = [
  ...FAILED_AUTHENTICATION,
  'rate-limited',
  'operation-not-allowed',
  'read-only-key',
  'missing-permission',
] as const;
export type FailedAuthenticationReason = (typeof FAILED_AUTHENTICATION)[number];
export type DenialReason = (typeof DENIAL_REASONS)[number];

export const OPERATIONS = ['read', 'write', 'destroy', 'manage-api-keys', 'manage-account', 'impersonate'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Keys can never delete permanently, manage keys or accounts, or impersonate: those operations are only for people. */
export function isOpenToKeys(operation: Operation): boolean {
  return operation === 'read' || operation === 'write';
}

/** What the holder of the key wants to do. `permission` is empty when none is needed. */
export interface Question {
  readonly operation: Operation;
  readonly permission: string;
  /** The client's address, if the door can vouch for it. Without one, a key with networks is denied. */
  readonly clientAddress?: string | null | undefined;
  /** Whether the holder only wants to know what the key may do. Then nothing else is required of it. */
  readonly isAboutKey?: boolean;
}

export interface Grant {
  readonly granted: true;
  readonly keyId: string;
  readonly ownerId: string;
  /** The lower of the key's level and the highest that its owner's keys may have. */
  readonly access: AccessLevel;
  readonly permissions: readonly string[];
  readonly attributes: readonly Attribute[];
  readonly createdAt: Date;
  /** When the key ends: at its expiry, or earlier when its successor is in use. */
  readonly expiresAt: Date;
}

export interface Denial {
  readonly granted: false;
  readonly reason: DenialReason;
  /** The requested permission, if the key lacks it. */
  readonly missing?: string;
}

export type Verdict = Grant | Denial;

export function deny(reason: DenialReason, missing?: string): Denial {
  return missing ? { granted: false, reason, missing } : { granted: false, reason };
}

export function isFailedAuthentication(reason: DenialReason): boolean {
  return FAILED_AUTHENTICATION.some((failed) => failed === reason);
}
