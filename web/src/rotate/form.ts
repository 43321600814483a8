import type { ApiKey, KeyPolicy, RotateKeyRequest } from '../api/types';
import { lifetimeDays } from '../key/expiry';
import { daysOf, expiryIn, type Expiry } from '../new-key/expiry';
import { DEFAULT_GRACE_SECONDS } from '../rules';
import { serviceTime } from '../time/useNow';

/** How long the old key works after the first use of the new one. */
export const GRACE_CHOICES = ['0', '3600', '86400', '604800'] as const;
export type Grace = (typeof GRACE_CHOICES)[number];

/** The chosen values, as typed. */
export interface RotationDraft {
  readonly grace: Grace;
  readonly expiry: Expiry;
}

/** The lifetime of the old key in days, or as much of it as is allowed. */
export function draftFor(key: ApiKey, policy: KeyPolicy): RotationDraft {
  const days = lifetimeDays(key, policy);
  return { grace: String(DEFAULT_GRACE_SECONDS) as Grace, expiry: expiryIn(days, serviceTime()) };
}

export function requestOf({ grace, expiry }: RotationDraft, proof: { readonly password?: string }): RotateKeyRequest {
  return { graceSeconds: Number(grace), expiresInDays: daysOf(expiry, serviceTime()) ?? 0, ...proof };
}
