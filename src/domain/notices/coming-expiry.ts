import { DAY_MS } from '../time.js';

/** When a key was created and when it will end by itself. */
interface Lifetime {
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** The end that its successor gives it. */
  readonly endsAt: Date | null;
}

/**
 * Which notice of a coming expiry is due: the smallest of `noticeDays` that the key has reached. None is due when a
 * notice of as many days, or of fewer, was already sent; when the notice period is more than half of the key's
 * lifetime; or when the key ends because of its successor.
 * @param noticeDays whole days of 24 hours
 * @param notifiedDays the smallest number of days that the owner was already notified of
 */
export function dueExpiryNotice(
  { createdAt, expiresAt, endsAt }: Lifetime,
  noticeDays: readonly number[],
  notifiedDays: number | undefined,
  now: Date,
): number | undefined {
  const leftMs = expiresAt.getTime() - now.getTime();
  if (leftMs <= 0 || endsAt) return undefined;
  const reached = noticeDays.filter((days) => leftMs <= days * DAY_MS);
  const fewest = Math.min(...reached);
  const isNotified = notifiedDays !== undefined && notifiedDays <= fewest;
  const lifetimeMs = expiresAt.getTime() - createdAt.getTime();
  return reached.length === 0 || isNotified || 2 * fewest * DAY_MS > lifetimeMs ? undefined : fewest;
}
