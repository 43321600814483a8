import type { ApiKey, KeyPolicy } from '../api/types.js';

// The service's rules, for a screen that stays open. test/contracts/screen-rules.spec.ts compares the two.

interface Times {
  readonly status: 'active' | 'expired' | 'revoked';
  readonly expiresAt: string;
  readonly endsAt: string | null;
}

/** A key may end while it is on the screen. */
export function statusAt({ status, expiresAt, endsAt }: Times, now: number): Times['status'] {
  if (status !== 'active') return status;
  const expiry = Date.parse(expiresAt);
  const end = endsAt === null ? expiry : Date.parse(endsAt);
  if (end < expiry && end <= now) return 'revoked';
  return expiry <= now ? 'expired' : 'active';
}

/** When an active key ends, as far as is known: by its expiry, or sooner because its successor is in use. */
export function endOf({ expiresAt, endsAt }: Pick<Times, 'expiresAt' | 'endsAt'>): string {
  return endsAt !== null && Date.parse(endsAt) < Date.parse(expiresAt) ? endsAt : expiresAt;
}

/** When the pause of a key ends; undefined for one that is not paused. A pause may end while it is on the screen. */
export const pauseOf = ({ pausedUntil }: { readonly pausedUntil?: string | null }, now: number): string | undefined =>
  pausedUntil && Date.parse(pausedUntil) > now ? pausedUntil : undefined;

export const DAY_MS = 86_400_000;

const CAUSES = ['owner', 'administrator', 'platform', 'rotated', 'leaked', 'idle'] as const;
type Cause = 'expired' | 'unknown' | (typeof CAUSES)[number];

/** A newer service may know reasons that this screen does not. */
export function endedBy({ revokedReason }: { revokedReason: string | null }, status: 'expired' | 'revoked'): Cause {
  return status === 'expired' ? 'expired' : (CAUSES.find((cause) => cause === revokedReason) ?? 'unknown');
}

/**
 * The rejected requests of the day on which the key ended, and of the days since.
 * @param refused one number for each of the last days in UTC, oldest first
 * @returns with `days` if the key ended before the first of them, so that the count is only of so many days
 */
export function rejectedSince(refused: readonly number[], endedAt: string, now: number) {
  const days = Math.floor(now / DAY_MS) - Math.floor(Date.parse(endedAt) / DAY_MS) + 1;
  const count = refused.slice(-Math.max(1, days)).reduce((sum, each) => sum + each, 0);
  return { count, days: days > refused.length ? refused.length : undefined };
}

const SOON_DAYS = 7;

/** Whether an active key ends within a week. For a key that was made for a short time: in the second half of its life. */
export function endsSoon(key: ApiKey, now: number): boolean {
  const days = Math.min(SOON_DAYS, lifetimeOf(key) / 2);
  return statusAt(key, now) === 'active' && Date.parse(endOf(key)) - now < days * DAY_MS;
}

/** The days that the key was given, or as many of them as are allowed now. */
export const lifetimeDays = (key: ApiKey, { maxKeyDays }: KeyPolicy): number =>
  Math.min(Math.max(1, Math.round(lifetimeOf(key))), maxKeyDays);

function lifetimeOf({ createdAt, expiresAt }: ApiKey): number {
  return (Date.parse(expiresAt) - Date.parse(createdAt)) / DAY_MS;
}

/**
 * Which of the service's mails before an expiry a key gets: none earlier than after half of its lifetime.
 * test/contracts/screen-rules.spec.ts compares this with the service's rule.
 */
export function mailedDays(noticeDays: readonly number[], lifetime: number): readonly number[] {
  return noticeDays.filter((days) => days * 2 <= lifetime).sort((one, other) => other - one);
}

/** Two active keys, of which the new one replaces the old one. */
export interface Rotation {
  readonly old: ApiKey;
  readonly next: ApiKey;
}

/** The rotation that a key is part of, if the other key is among the given ones. */
export function rotationOf(key: ApiKey, keys: readonly ApiKey[], now: number): Rotation | undefined {
  const isActive = (one: ApiKey) => statusAt(one, now) === 'active';
  const other = keys.find((one) => (one.id === key.replaces || one.id === key.replacedBy) && isActive(one));
  if (!other || !isActive(key)) return undefined;
  return other.id === key.replaces ? { old: other, next: key } : { old: key, next: other };
}
