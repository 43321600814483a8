import { earliest, later } from '../time.js';
import { wholeNumberProblem } from '../errors.js';

/** In the order in which clients see them. */
export const API_KEY_STATUSES = ['active', 'expired', 'revoked'] as const;
export type ApiKeyStatus = (typeof API_KEY_STATUSES)[number];

export type EndStatus = Exclude<ApiKeyStatus, 'active'>;

/** The times that, with the clock, decide a key's status. At least one of `revokedAt` and `expiredAt` is null. */
export interface KeyTimes {
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
  /** When the expiry was first observed. After that the key stays expired, even if the clock is set back. */
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

export const MAX_PAUSE_MINUTES = 1440;
export const PAUSE_FIELDS = {
  minutes: (value: unknown) => wholeNumberProblem(value, 1, MAX_PAUSE_MINUTES),
} as const;

/** Each resumes only their own pause. A manager pauses as the owner does, the command line as an administrator. */
export type PausedBy = 'owner' | 'administrator';

/** Until when each of them paused the key, or when it was resumed. Null: never paused. A time that has passed stays. */
export interface KeyPauses {
  readonly pausedUntil: Date | null;
  readonly adminPausedUntil: Date | null;
}

export const NEVER_PAUSED: KeyPauses = { pausedUntil: null, adminPausedUntil: null };

export const PAUSE_OF = { owner: 'pausedUntil', administrator: 'adminPausedUntil' } as const satisfies Record<
  PausedBy,
  keyof KeyPauses
>;

/** From its first pause on, an instance of a release that knows no pauses refuses the key: see `storedDigest`. */
export function wasPaused({ pausedUntil, adminPausedUntil }: KeyPauses): boolean {
  return pausedUntil !== null || adminPausedUntil !== null;
}

/** The later of both ends, as long as it is to come. */
export function pauseEnd({ pausedUntil, adminPausedUntil }: KeyPauses, now: Date): Date | null {
  const until =
    pausedUntil && adminPausedUntil ? later(pausedUntil, adminPausedUntil) : (pausedUntil ?? adminPausedUntil);
  return until && until > now ? until : null;
}
