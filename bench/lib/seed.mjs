import { createHash, randomInt } from 'node:crypto';
import { connected } from './database.mjs';
import { keyNumber, ownerOf, publicPartOf } from './keys.mjs';

const CHUNK = 10_000;

const INSERT_OWNERS = `
  INSERT INTO accounts (id, email, email_key, display_name, permissions, password_hash, status, version)
  SELECT id, id || '@bench.test', id || '@bench.test', id, '{systems:read,systems:write}',
    (SELECT password_hash FROM accounts WHERE id = 'demo'), 'active', 0
  FROM unnest($1::text[]) AS new (id)`;
const INSERT_KEYS = `
  INSERT INTO api_keys (id, owner_id, name, access, key_prefix, public_part, digest, created_at, expires_at)
  SELECT gen_random_uuid(), owner_id, 'bench', 'read-and-write', 'lk', public_part, digest,
    now(), now() + interval '90 days'
  FROM unnest($1::text[], $2::text[], $3::bytea[]) AS new (owner_id, public_part, digest)
  RETURNING id`;

/**
 * Fills a migrated database with the keys 0 to `count` - 1, five for each owner. All owners have the demo owner's
 * password.
 * @param {string} url @param {number} count
 */
export const seed = (url, count) =>
  connected(url, async (client) => {
    for (let first = 0; first < count; first += CHUNK) {
      const numbers = Array.from({ length: Math.min(CHUNK, count - first) }, (_, index) => first + index);
      await client.query(INSERT_OWNERS, [[...new Set(numbers.map(ownerOf))]]);
      await insertKeys(client, numbers, ownerOf);
    }
    await client.query('VACUUM ANALYZE');
    await client.query('CHECKPOINT');
  });

/**
 * Adds keys of the demo owner that will be revoked. They are far from the keys that loads use, and each call adds
 * different ones.
 * @param {string} url @param {number} count @returns {Promise<{ id: string, key: string }[]>}
 */
export async function insertDoomed(url, count) {
  const first = 1_000_000_000 + randomInt(1_000_000_000);
  const numbers = Array.from({ length: count }, (_, n) => first + n);
  const ids = await connected(url, (client) => insertKeys(client, numbers, () => 'demo'));
  return ids.map((id, n) => ({ id, key: keyNumber(first + n) }));
}

/**
 * Keys that are valid for 90 days. Returns their ids, in order.
 * @param {import('pg').Client} client @param {readonly number[]} numbers @param {(n: number) => string} ownerOfKey
 */
async function insertKeys(client, numbers, ownerOfKey) {
  const keys = numbers.map(keyNumber);
  const digests = keys.map((key) => createHash('sha256').update(key).digest());
  const { rows } = await client.query(INSERT_KEYS, [numbers.map(ownerOfKey), keys.map(publicPartOf), digests]);
  return rows.map(({ id }) => id);
}
