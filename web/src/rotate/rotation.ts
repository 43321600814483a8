import type { ApiKey } from '../api/types';
import { statusAt } from '../keys/status';

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

/** A key and its rotation. */
export interface PairedKey {
  readonly key: ApiKey;
  readonly rotation?: Rotation;
}

/** The keys in their order, except that an old key follows its successor. */
export function paired(keys: readonly ApiKey[], now: number): readonly (readonly PairedKey[])[] {
  return keys.flatMap((key) => {
    const rotation = rotationOf(key, keys, now);
    if (!rotation) return [[{ key }]];
    const { old, next } = rotation;
    return key.id === next.id ? [[next, old].map((each) => ({ key: each, rotation }))] : [];
  });
}

/** Undefined while neither was used. */
export function usedLast({ old, next }: Rotation): ApiKey | undefined {
  const timeOf = ({ lastUsedAt }: ApiKey) => (lastUsedAt === null ? -Infinity : Date.parse(lastUsedAt));
  const last = timeOf(next) >= timeOf(old) ? next : old;
  return last.lastUsedAt === null ? undefined : last;
}
