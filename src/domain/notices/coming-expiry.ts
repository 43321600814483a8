import { DAY_MS } from '../time.js';

/** When a key began and how it will end by itself. */
interface Lifetime {
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** When its successor ends it, which is in use. */
  readonly endsAt: Date | null;
}

/**
 * So many days before its expiry as a key's owner is to be told of now: the fewest that have been reached. Nothing is due if
 * those were told, or fewer; if they are more than half of the key's lifetime; and if a successor ends the key.
 * @param noticeDays whole numbers of days of 24 hours
 * @param toldDays the fewest that were told of this key
 */
export function dueExpiryNotice(
  { createdAt, expiresAt, endsAt }: Lifetime,
  noticeDays: readonly number[],
  toldDays: number | undefined,
  now: Date,
): number | undefined {
  const leftMs = expiresAt.getTime() - now.getTime();
  if (leftMs <= 0 || endsAt) return undefined;
  const reached = noticeDays.filter((days) => leftMs <= days * DAY_MS);
  const fewest = Math.min(...reached);
  const isTold = toldDays !== undefined && toldDays <= fewest;
  const lifetimeMs = expiresAt.getTime() - createdAt.getTime();
  return reached.length === 0 || isTold || 2 * fewest * DAY_MS > lifetimeMs ? undefined : fewest;
}
