import { DAY_MS } from '../time.js';

/** When a key began and will end by itself. */
interface Lifetime {
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/**
 * So many days before its expiry as a key's owner is to be told of now: the fewest that have been reached. If those have
 * been told, or fewer, nothing is due; nor if they are more than half of the key's lifetime.
 * @param noticeDays whole numbers of days of 24 hours
 * @param toldDays the fewest that were told of this key
 */
export function dueExpiryNotice(
  { createdAt, expiresAt }: Lifetime,
  noticeDays: readonly number[],
  toldDays: number | undefined,
  now: Date,
): number | undefined {
  const leftMs = expiresAt.getTime() - now.getTime();
  if (leftMs <= 0) return undefined;
  const reached = noticeDays.filter((days) => leftMs <= days * DAY_MS);
  const fewest = Math.min(...reached);
  const isTold = toldDays !== undefined && toldDays <= fewest;
  const lifetimeMs = expiresAt.getTime() - createdAt.getTime();
  return reached.length === 0 || isTold || 2 * fewest * DAY_MS > lifetimeMs ? undefined : fewest;
}
