import type { StoredCosts } from '../../passwords/decoys.js';
import type { Database } from '../client/database.js';
import type { EntityManager } from 'typeorm';

/** With more accounts than this, only a sample is read. The sample is the same on every instance. */
const LOOKED_AT = 100_000;

/** How expensive the stored password hashes are. Reads only the beginning of each hash, which holds its settings. */
export class PostgresStoredCosts {
  constructor(private readonly database: Database) {}

  read(): Promise<StoredCosts> {
    return this.database.run(async (manager) => {
      const key = await sharedKey(manager);
      const [{ rows } = { rows: 0 }] = await manager.query<{ rows: number }[]>(ESTIMATE);
      const percent = Math.min(100, (100 * LOOKED_AT) / Math.max(rows, 1));
      return { key, costs: await manager.query<StoredCosts['costs'][number][]>(COSTS, [percent]) };
    });
  }
}

const ESTIMATE = `SELECT reltuples::float8 AS rows FROM pg_class WHERE oid = 'accounts'::regclass`;
const COSTS = `
  SELECT substring(password_hash from '^\\$argon2id\\$v=19\\$[^$]+|^\\$2[aby]\\$\\d\\d') AS settings, count(*)::integer AS accounts
  FROM accounts TABLESAMPLE SYSTEM ($1) REPEATABLE (1)
  WHERE password_hash ~ '^\\$(argon2id\\$v=19\\$[^$]+\\$|2[aby]\\$\\d\\d\\$)'
  GROUP BY 1`;

/** Random bytes that all instances share. They are read once; each use derives a key of its own from them. */
export class PostgresSharedKey {
  private key: Promise<Uint8Array> | undefined;

  constructor(private readonly database: Database) {}

  /** Throws `unavailable` while PostgreSQL has not answered yet. */
  read(): Promise<Uint8Array> {
    this.key ??= this.database.run(sharedKey).catch((error: unknown) => {
      this.key = undefined;
      throw error;
    });
    return this.key;
  }
}

/** The table has one row. */
async function sharedKey(manager: EntityManager): Promise<Buffer> {
  const [row] = await manager.query<{ key: Buffer }[]>('SELECT key FROM decoy_key');
  return row!.key;
}
