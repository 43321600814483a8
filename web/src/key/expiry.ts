import type { ApiKey, KeyPolicy } from '../api/types.js';
import { DAY_MS, endOf, statusAt } from './status.js';

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
