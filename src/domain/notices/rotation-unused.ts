import type { ApiKey } from '../keys/api-key.js';
import { DAY_MS } from '../time.js';

/** If nobody has used the new key after this time, the rotation was probably forgotten. */
export const UNUSED_AFTER_DAYS = 7;

/** Whether to notify the owner that nobody uses the new key. Not after either key has ended. */
export function isRotationUnused(successor: ApiKey, replaced: ApiKey, now: Date): boolean {
  const { replaces, firstUsedAt, createdAt } = successor.snapshot();
  const isPending = replaces === replaced.id && !firstUsedAt;
  const areActive = [successor, replaced].every((key) => key.status(now) === 'active');
  return isPending && areActive && now.getTime() - createdAt.getTime() >= UNUSED_AFTER_DAYS * DAY_MS;
}
