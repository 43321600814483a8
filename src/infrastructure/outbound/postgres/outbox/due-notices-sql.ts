import { UNUSED_AFTER_DAYS } from '../../../../domain/notices/rotation-unused.js';

const open = (key: string) => `${key}.revoked_at IS NULL AND ${key}.expired_at IS NULL`;
const activeAt1 = (key: string) => `${open(key)} AND ${key}.expires_at > $1 AND (${key}.ends_at > $1) IS NOT FALSE`;
/** Days of 24 hours, whatever the session's time zone. */
const days = (count: string) => `make_interval(hours => 24 * ${count})`;

/**
 * The domain's `dueExpiryNotice`: keys at $1 of which one of the numbers of days in $2 is due. In $3 is the next smaller
 * number of each, 0 for the smallest: between the two it is the smallest that has been reached.
 */
export const EXPIRIES = `
  SELECT key.id
  FROM unnest($2::int[], $3::int[]) AS notice (days, fewer)
    JOIN api_keys key ON key.expires_at > $1::timestamptz + ${days('notice.fewer')}
      AND key.expires_at <= $1::timestamptz + ${days('notice.days')}
    JOIN accounts owner ON owner.id = key.owner_id AND owner.status = 'active'
    LEFT JOIN told_notices told ON told.key_id = key.id
  WHERE ${open('key')} AND key.ends_at IS NULL
    AND key.expires_at >= key.created_at + ${days('2 * notice.days')}
    AND (told.expiry_days > notice.days) IS NOT FALSE
  LIMIT $4 FOR NO KEY UPDATE OF key SKIP LOCKED`;

/** The domain's `isRotationUnused`: keys at $1. */
export const UNUSED_ROTATIONS = `
  SELECT key.id
  FROM api_keys key
    JOIN api_keys replaced ON replaced.id = key.replaces
    JOIN accounts owner ON owner.id = key.owner_id AND owner.status = 'active'
    LEFT JOIN told_notices told ON told.key_id = key.id
  WHERE key.replaces IS NOT NULL AND key.first_used_at IS NULL AND ${activeAt1('key')} AND ${activeAt1('replaced')}
    AND key.created_at <= $1::timestamptz - ${days(String(UNUSED_AFTER_DAYS))}
    AND told.rotation_unused IS NOT TRUE
  LIMIT $2 FOR NO KEY UPDATE OF key SKIP LOCKED`;

export const TOLD_EXPIRY = `
  INSERT INTO told_notices (key_id, expiry_days) SELECT * FROM unnest($1::uuid[], $2::smallint[])
  ON CONFLICT (key_id) DO UPDATE SET expiry_days = excluded.expiry_days`;

export const TOLD_ROTATION = `
  INSERT INTO told_notices (key_id, rotation_unused) SELECT id, true FROM unnest($1::uuid[]) AS told (id)
  ON CONFLICT (key_id) DO UPDATE SET rotation_unused = true`;
