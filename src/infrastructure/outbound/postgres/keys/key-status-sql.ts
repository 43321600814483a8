import type { ApiKeyStatus } from '#domain/keys/key-status.js';
import { NOW_ONCE } from '../client/database.js';

/**
 * The domain's `statusAt` in SQL, of a row `key` of api_keys at `:now`, as conditions of which one must hold. Each of them
 * has an index.
 */
export const STATUS_BY_INDEX: Readonly<Record<ApiKeyStatus, readonly string[]>> = {
  active: [activeAt('key', ':now')],
  expired: ['key.expired_at IS NOT NULL', `(${openKey('key')} AND key.expires_at <= :now AND NOT ${endsEarly()})`],
  revoked: ['key.revoked_at IS NOT NULL', `(${openKey('key')} AND key.ends_at <= :now AND ${endsEarly()})`],
};

/** The same as one condition. */
export function hasStatus(status: ApiKeyStatus): string {
  return `(${STATUS_BY_INDEX[status].join(' OR ')})`;
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
function endsEarly(): string {
  return '(key.ends_at IS NOT NULL AND key.ends_at < key.expires_at)';
}
