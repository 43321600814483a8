import { createHash } from 'node:crypto';
import pg from 'pg';
import { keyNumber, ownerOf, publicPartOf } from './keys.mjs';

const CHUNK = 10_000;

/**
 * Fills a migrated database with the keys 0 to `count` - 1, five for each owner. All owners have the demo owner's
 * password.
 * @param {string} url
 * @param {number} count
 */
export async function seed(url, count) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (let first = 0; first < count; first += CHUNK) {
      const numbers = Array.from({ length: Math.min(CHUNK, count - first) }, (_, index) => first + index);
      await insertOwners(client, [...new Set(numbers.map(ownerOf))]);
      await insertKeys(client, numbers, ownerOf);
    }
    await client.query('VACUUM ANALYZE');
    await client.query('CHECKPOINT');
  } finally {
    await client.end();
  }
}

/**
 * @param {pg.Client} client
 * @param {readonly string[]} ids
 */
async function insertOwners(client, ids) {
  await client.query(
    `INSERT INTO accounts (id, email, email_key, display_name, permissions, password_hash, status, version)
     SELECT id, id || '@bench.test', id || '@bench.test', id, '{systems:read,systems:write}',
       (SELECT password_hash FROM accounts WHERE id = 'demo'), 'active', 0
     FROM unnest($1::text[]) AS new (id)`,
    [ids],
  );
}

/**
 * Keys that are valid for 90 days.
 * @param {pg.Client} client
 * @param {readonly number[]} numbers
 * @param {(n: number) => string} ownerOfKey
 * @returns {Promise<string[]>} their ids, in order
 */
export async function insertKeys(client, numbers, ownerOfKey) {
  const keys = numbers.map(keyNumber);
  const { rows } = await client.query(
    `INSERT INTO api_keys (id, owner_id, name, access, key_prefix, public_part, digest, created_at, expires_at)
     SELECT gen_random_uuid(), owner_id, 'bench', 'read-and-write', 'lk', public_part, digest,
       now(), now() + interval '90 days'
     FROM unnest($1::text[], $2::text[], $3::bytea[]) AS new (owner_id, public_part, digest)
     RETURNING id`,
    [numbers.map(ownerOfKey), keys.map(publicPartOf), keys.map((key) => createHash('sha256').update(key).digest())],
  );
  return rows.map(({ id }) => id);
}
