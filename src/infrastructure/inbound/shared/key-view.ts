import type { ListedKey } from '../../../application/lists.js';
import { maskKey } from '../../../domain/keys/key-string.js';

/** A key as owners and administrators see it. Built field by field, without the secret's digest. */
export function keyView({ key, lastUsedAt }: ListedKey, now: Date) {
  const { id, name, access, keyPrefix, publicPart, createdAt, expiresAt, revokedAt, ...rotation } = key.snapshot();
  const { replaces, replacedBy, endsAt, graceSeconds } = rotation;
  return {
    id,
    name,
    access,
    prefix: maskKey(keyPrefix, publicPart),
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    expiresAt: expiresAt.toISOString(),
    revokedAt: revokedAt?.toISOString() ?? null,
    status: key.status(now),
    replaces,
    replacedBy,
    endsAt: endsAt?.toISOString() ?? null,
    graceSeconds,
  };
}
