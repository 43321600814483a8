/** In the order in which they are listed to clients. */
export const API_KEY_STATUSES = ['active', 'expired', 'revoked'] as const;
export type ApiKeyStatus = (typeof API_KEY_STATUSES)[number];

/** How a key is once it has ended. */
export type EndStatus = Exclude<ApiKeyStatus, 'active'>;

/** What the status of a key depends on, beside the clock. Of `revokedAt` and `expiredAt` one is null at least. */
export interface KeyTimes {
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
  /** When the expiry was first observed. From then on the clock has no say. */
  readonly expiredAt: Date | null;
  /** When a key ends whose successor is in use. Never later than its expiry. */
  readonly endsAt: Date | null;
}

/** The one rule. The SQL in `postgres/keys/key-status-sql.ts` repeats it, and is held to it by the spec of `api-keys.ts`. */
export function statusAt(now: Date, times: KeyTimes): ApiKeyStatus {
  if (times.revokedAt) return 'revoked';
  return times.expiredAt ? 'expired' : (endedByClock(now, times) ?? 'active');
}

/** Not known to have ended: active, unless an end by the clock is due. */
export function isOpen({ revokedAt, expiredAt }: KeyTimes): boolean {
  return !revokedAt && !expiredAt;
}

/** How the clock has ended the key, if `now` shows an end that is not on record yet. */
export function dueEnd(now: Date, times: KeyTimes): EndStatus | undefined {
  return isOpen(times) ? endedByClock(now, times) : undefined;
}

/** Where both ends fall together, the key is expired. Every validation asks: comparing numbers is faster than dates. */
function endedByClock(now: Date, { expiresAt, endsAt }: KeyTimes): EndStatus | undefined {
  const nowMs = now.getTime();
  const expiresMs = expiresAt.getTime();
  if (endsAt && endsAt.getTime() < expiresMs && endsAt.getTime() <= nowMs) return 'revoked';
  return expiresMs <= nowMs ? 'expired' : undefined;
}
