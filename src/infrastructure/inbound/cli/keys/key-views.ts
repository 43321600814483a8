import type { ApiKey } from '../../../../domain/keys/api-key.js';
import { maskKey } from '../../../../domain/keys/key-string.js';

/** A key as administrators see it. Built field by field, without the secret's digest. */
export function viewOf(key: ApiKey, now: Date, lastUsedAt: Date | null) {
  const { id, name, access, keyPrefix, publicPart, createdAt, expiresAt, revokedAt, ...rotation } = key.snapshot();
  const { replaces, replacedBy, endsAt, graceSeconds } = rotation;
  return {
    id,
    name,
    access,
    prefix: maskKey(keyPrefix, publicPart),
    status: key.status(now),
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    expiresAt: expiresAt.toISOString(),
    revokedAt: revokedAt?.toISOString() ?? null,
    replaces,
    replacedBy,
    endsAt: endsAt?.toISOString() ?? null,
    graceSeconds,
  };
}
