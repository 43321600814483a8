import type { ApiKeyStatus } from '#domain/keys/key-status.js';
import { NOW_ONCE } from '../client/database.js';

/**
 * The domain's `statusAt` in SQL, at `:now`, as conditions of which one must hold. Each of them has an index. The
 * argument is the alias of a row of api_keys.
 */
export const STATUS_BY_INDEX: Readonly<Record<ApiKeyStatus, (key: string) => string[]>> = {
  active: (key) => [activeAt(key, ':now')],
  expired: (key) => [
    `${key}.expired_at IS NOT NULL`,
    `(${openKey(key)} AND ${key}.expires_at <= :now AND NOT ${ends(key)})`,
  ],
  revoked: (key) => [`${key}.revoked_at IS NOT NULL`, `(${openKey(key)} AND ${key}.ends_at <= :now AND ${ends(key)})`],
};

/** The same as one condition. */
export function hasStatus(status: ApiKeyStatus, key: string): string {
  return `(${STATUS_BY_INDEX[status](key).join(' OR ')})`;
}

/** Each of these two conditions has an index. */
export const TIME_IS_OUT = `key.expires_at <= ${NOW_ONCE}`;
export const END_HAS_COME = `key.ends_at <= ${NOW_ONCE}`;

/**
 * Says IS NULL, because PostgreSQL would expect hardly any row for `IS NOT FALSE`, and sort all keys for a page of them.
 * @param now the parameter that holds the time
 */
export function activeAt(key: string, now: string): string {
  return `(${openKey(key)} AND ${key}.expires_at > ${now} AND (${key}.ends_at IS NULL OR ${key}.ends_at > ${now}))`;
}

/** The domain's `isOpen` in SQL. */
export function openKey(key: string): string {
  return `${key}.revoked_at IS NULL AND ${key}.expired_at IS NULL`;
}

/** Whether the key is ended by its successor rather than by its expiry. */
function ends(key: string): string {
  return `(${key}.ends_at IS NOT NULL AND ${key}.ends_at < ${key}.expires_at)`;
}
