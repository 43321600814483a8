import { Redis } from 'ioredis';
import { sql } from '../support/stores/sql.js';

/** Text from one place, which is searched. */
export interface Find {
  readonly place: string;
  readonly text: string;
}

/** Every spelling in which a secret might be stored. */
export function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // With one or two bytes before it, a text has another Base64 form. The characters at its edges also depend on its
  // neighbours and are left out.
  const shifted = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    return text.slice(shift === 0 ? 0 : 4, -4);
  });
  const urlSafe = shifted.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const written = [secret, bytes.toString('hex'), encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)];
  const decoded = /^[\w-]{43}$/.test(secret) ? [Buffer.from(secret, 'base64url').toString('hex')] : [];
  return [...new Set([...written, ...decoded, ...shifted, ...urlSafe])].map((text) => text.toLowerCase());
}

/** `secret in place` for each find, in any spelling, upper or lower case. */
export function hitsOf(secrets: Readonly<Record<string, string>>, finds: readonly Find[]): string[] {
  const searched = finds.map(({ place, text }) => ({ place, text: text.toLowerCase() }));
  return Object.entries(secrets).flatMap(([name, secret]) => {
    const spellings = spellingsOf(secret);
    const places = searched.filter(({ text }) => spellings.some((spelling) => text.includes(spelling)));
    return [...new Set(places.map(({ place }) => `${name} in ${place}`))];
  });
}

/** Every row of every table, bytes in hex, like a dump of the database. */
export async function storedRows(databaseUrl: string): Promise<Find[]> {
  const tables = await sql<{ name: string }>(
    databaseUrl,
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const finds = tables.map(async ({ name }) => {
    const rows = await sql<{ row: string }>(databaseUrl, `SELECT t::text AS row FROM ${name} AS t`);
    return { place: `table ${name}`, text: rows.map(({ row }) => row).join('\n') };
  });
  return Promise.all(finds);
}

/** Every key of Redis with its value. */
export async function redisEntries(url: string): Promise<Find[]> {
  const redis = new Redis(url);
  try {
    const keys = await redis.keys('*');
    const values = await Promise.all(keys.map((key) => redis.dump(key)));
    const raw = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
    const text = keys.map((key, n) => `${key} ${String(values[n])} ${raw[n]?.toString('hex') ?? ''}`).join('\n');
    return [{ place: 'Redis', text }];
  } finally {
    redis.disconnect();
  }
}
