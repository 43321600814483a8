import type { ApiKeyStatus } from '../../../../domain/keys/key-status.js';

/** The domain's `statusAt` in SQL, of a row of api_keys under a name, at `:now`. */
export const STATUS: Readonly<Record<ApiKeyStatus, (key: string) => string>> = {
  active: (key) => `(${open(key)} AND ${key}.expires_at > :now AND (${key}.ends_at > :now) IS NOT FALSE)`,
  expired: (key) =>
    `(${key}.expired_at IS NOT NULL OR (${open(key)} AND ${key}.expires_at <= :now AND NOT ${ends(key)}))`,
  revoked: (key) => `(${key}.revoked_at IS NOT NULL OR (${open(key)} AND ${key}.ends_at <= :now AND ${ends(key)}))`,
};

/** `dueEnd`, likewise, by the server's own clock. Either part has an index. */
export const IS_DUE = `
  key.revoked_at IS NULL AND key.expired_at IS NULL
  AND (key.expires_at <= clock_timestamp() OR key.ends_at <= clock_timestamp())`;

function open(key: string): string {
  return `${key}.revoked_at IS NULL AND ${key}.expired_at IS NULL`;
}

/** Whether its successor ends the key, and not its expiry. */
function ends(key: string): string {
  return `(${key}.ends_at IS NOT NULL AND ${key}.ends_at < ${key}.expires_at)`;
}
