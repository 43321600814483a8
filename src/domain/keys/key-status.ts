import { earliest } from '../time.js';

/** In the order in which clients see them. */
export const API_KEY_STATUSES = ['active', 'expired', 'revoked'] as const;
export type ApiKeyStatus = (typeof API_KEY_STATUSES)[number];

export type EndStatus = Exclude<ApiKeyStatus, 'active'>;

/** The times that, with the clock, decide a key's status. At least one of `revokedAt` and `expiredAt` is null. */
export interface KeyTimes {
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
  /** When the expiry was first observed. After that the key stays expired, whatever the clock shows. */
  readonly expiredAt: Date | null;
  /** When the key ends because its successor is in use. Never later than its expiry. */
  readonly endsAt: Date | null;
}

/** `postgres/keys/key-status-sql.ts` repeats this rule. The spec of `api-keys.ts` checks that both agree. */
export function statusAt(now: Date, times: KeyTimes): ApiKeyStatus {
  if (times.revokedAt) return 'revoked';
  return times.expiredAt ? 'expired' : (endedByClock(now, times) ?? 'active');
}

/** A key without a recorded end is active, unless an end by the clock is due. */
export function isOpen({ revokedAt, expiredAt }: KeyTimes): boolean {
  return !revokedAt && !expiredAt;
}

/** The end by the clock that has come by `now` and is not recorded yet, if any. */
export function dueEnd(now: Date, times: KeyTimes): EndStatus | undefined {
  return isOpen(times) ? endedByClock(now, times) : undefined;
}

/** If both ends have the same time, the key is expired. Comparing numbers is faster than comparing dates. */
function endedByClock(now: Date, { expiresAt, endsAt }: KeyTimes): EndStatus | undefined {
  const nowMs = now.getTime();
  const expiresMs = expiresAt.getTime();
  if (endsAt && endsAt.getTime() < expiresMs && endsAt.getTime() <= nowMs) return 'revoked';
  return expiresMs <= nowMs ? 'expired' : undefined;
}

/** When an old key ends, unless it ends earlier. @param firstUsedAt of its successor */
export function endGiven(expiresAt: Date, firstUsedAt: Date, graceSeconds: number): Date {
  return earliest(expiresAt, new Date(firstUsedAt.getTime() + graceSeconds * 1000));
}
