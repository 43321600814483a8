import type { EntityManager, SelectQueryBuilder } from 'typeorm';
import type { DueScope } from '../../../../application/ports.js';
import { UNUSED_AFTER_DAYS } from '../../../../domain/notices/rotation-unused.js';
import { activeAt, END_HAS_COME, IS_DUE, openKey, TIME_IS_OUT } from './key-status-sql.js';
import { ApiKeyRow } from './rows.js';

type KeyQuery = SelectQueryBuilder<ApiKeyRow>;

function due(manager: EntityManager): KeyQuery {
  return manager.createQueryBuilder(ApiKeyRow, 'key').where(IS_DUE);
}

export function dueIn(manager: EntityManager, scope: DueScope): KeyQuery {
  return due(manager).andWhere('keyId' in scope ? 'key.id = :keyId' : 'key.owner_id = :ownerId', scope);
}

/** Locks in the order of the ids, as all statements do. */
export function lockDueIn(manager: EntityManager, scope: DueScope): Promise<ApiKeyRow[]> {
  return dueIn(manager, scope).orderBy('key.id').setLock('for_no_key_update').getMany();
}

/**
 * Selects by each of the two times separately, because each has its own index. Skips keys that another instance has
 * locked.
 */
export async function lockOldestDue(manager: EntityManager, limit: number): Promise<ApiKeyRow[]> {
  const lock = (most: number, narrow: (keys: KeyQuery) => KeyQuery) =>
    narrow(due(manager)).limit(most).setLock('for_no_key_update').setOnLocked('skip_locked').getMany();
  const expired = await lock(limit, (keys) => keys.andWhere(TIME_IS_OUT).orderBy('key.expires_at'));
  if (expired.length === limit) return expired;
  const locked = expired.map(({ id }) => id);
  const ended = await lock(limit - expired.length, (keys) =>
    keys.andWhere(END_HAS_COME).andWhere('key.id <> ALL(:locked)', { locked }).orderBy('key.ends_at'),
  );
  return [...expired, ...ended];
}

export const SAVE_ENDS = `
  UPDATE api_keys SET revoked_at = ended.revoked_at, expired_at = ended.expired_at
  FROM unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[]) AS ended (id, revoked_at, expired_at)
  WHERE api_keys.id = ended.id`;

/**
 * The domain's `dueExpiryNotice`: keys that expire after $1 and until $2, for which $3 is the smallest notice period
 * (in days) that has been reached.
 */
export const EXPIRING = `
  SELECT key.id
  FROM api_keys key
    JOIN accounts owner ON owner.id = key.owner_id AND owner.status = 'active'
    LEFT JOIN told_notices told ON told.key_id = key.id
  WHERE key.expires_at > $1 AND key.expires_at <= $2 AND ${openKey('key')} AND key.ends_at IS NULL
    AND key.expires_at >= key.created_at + make_interval(hours => 48 * $3::int)
    AND (told.expiry_days > $3) IS NOT FALSE
  LIMIT $4 FOR NO KEY UPDATE OF key SKIP LOCKED`;

/** The domain's `isRotationUnused`: successors at time $1. */
export const UNUSED_SUCCESSORS = `
  SELECT key.id
  FROM api_keys key
    JOIN api_keys replaced ON replaced.id = key.replaces
    JOIN accounts owner ON owner.id = key.owner_id AND owner.status = 'active'
    LEFT JOIN told_notices told ON told.key_id = key.id
  WHERE key.replaces IS NOT NULL AND key.first_used_at IS NULL
    AND ${activeAt('key', '$1')} AND ${activeAt('replaced', '$1')}
    AND key.created_at <= $1::timestamptz - make_interval(hours => ${24 * UNUSED_AFTER_DAYS})
    AND told.rotation_unused IS NOT TRUE
  LIMIT $2 FOR NO KEY UPDATE OF key SKIP LOCKED`;

export const KEEP_EXPIRY_NOTICES = `
  INSERT INTO told_notices (key_id, expiry_days) SELECT * FROM unnest($1::uuid[], $2::smallint[])
  ON CONFLICT (key_id) DO UPDATE SET expiry_days = excluded.expiry_days`;

export const KEEP_ROTATION_NOTICES = `
  INSERT INTO told_notices (key_id, rotation_unused) SELECT id, true FROM unnest($1::uuid[]) AS told (id)
  ON CONFLICT (key_id) DO UPDATE SET rotation_unused = true`;
