import { createHash } from 'node:crypto';

export const IMPORT_PREFIX = 'acme_live_';
const DAYS = 300;
const expiresAt = { seconds: Math.floor(Date.now() / 1000) + DAYS * 86_400 };

/** The n-th key of another system, the same in every process. @param {number} n */
export const foreignKey = (n) => IMPORT_PREFIX + createHash('sha256').update(`foreign ${n}`).digest('hex').slice(0, 40);

/** @param {number} n @param {string} ownerId */
export function importRequest(n, ownerId) {
  const text = foreignKey(n);
  return {
    ownerId,
    name: `Imported ${n}`,
    access: 'ACCESS_LEVEL_READ_ONLY',
    sha256: createHash('sha256').update(text).digest(),
    displayPrefix: text.slice(0, 14),
    expiresAt,
    permissions: ['*'],
  };
}
