import { LatchkeyError } from '../errors.js';
import { HOUR_MS } from '../time.js';

/**
 * Throws `too_many_changes` when the account made `perHour` keys within the last hour, by creation or rotation.
 * @param earlierAt when the account made the key that is `perHour` keys back; undefined when it made fewer
 */
export function requireChangesLeft(perHour: number, earlierAt: Date | undefined, now: Date): void {
  const waitMs = earlierAt ? earlierAt.getTime() + HOUR_MS - now.getTime() : 0;
  if (waitMs <= 0) return;
  const message = `At most ${perHour} API keys can be created or rotated in an hour: try again later`;
  throw new LatchkeyError('too_many_changes', message, { retryAfterSeconds: Math.ceil(waitMs / 1000) });
}
