import type { ApiKey } from '../api/types.js';
import { statusAt } from './status.js';

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
