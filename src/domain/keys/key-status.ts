/** In the order in which they are listed to clients. */
export const API_KEY_STATUSES = ['active', 'expired', 'revoked'] as const;
export type ApiKeyStatus = (typeof API_KEY_STATUSES)[number];

/** What the status of a key depends on, beside the clock. Of the last two one is null at least. */
export interface KeyTimes {
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
  /** When the expiry was first observed. From then on the clock has no say. */
  readonly expiredAt: Date | null;
}

/** The one rule. The SQL in `postgres/keys/api-keys.ts` repeats it, and is held to it by the spec beside it. */
export function statusAt(now: Date, { expiresAt, revokedAt, expiredAt }: KeyTimes): ApiKeyStatus {
  if (revokedAt) return 'revoked';
  return expiredAt || now.getTime() >= expiresAt.getTime() ? 'expired' : 'active';
}

/** Not known to have ended: active, unless its expiry is due. */
export function isOpen({ revokedAt, expiredAt }: KeyTimes): boolean {
  return !revokedAt && !expiredAt;
}

/** Whether `now` shows an expiry that is not on record yet. */
export function isExpiryDue(now: Date, times: KeyTimes): boolean {
  return isOpen(times) && statusAt(now, times) === 'expired';
}
