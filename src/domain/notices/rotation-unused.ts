import type { ApiKey } from '../keys/api-key.js';
import { DAY_MS } from '../time.js';

/** A rotation whose new key nobody has used for so long has likely been forgotten. */
export const UNUSED_AFTER_DAYS = 7;

/** Whether it is time to tell that nobody uses the key which was made to replace another. Over, once either has ended. */
export function isRotationUnused(successor: ApiKey, replaced: ApiKey, now: Date): boolean {
  const { replaces, firstUsedAt, createdAt } = successor.snapshot();
  const isPending = replaces === replaced.id && !firstUsedAt;
  const areActive = [successor, replaced].every((key) => key.status(now) === 'active');
  return isPending && areActive && now.getTime() - createdAt.getTime() >= UNUSED_AFTER_DAYS * DAY_MS;
}
