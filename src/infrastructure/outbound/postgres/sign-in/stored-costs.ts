import type { StoredCosts } from '../../passwords/decoys.js';
import type { Database } from '../client/database.js';

/** With more accounts than this, only a sample is read. The sample is the same on every instance. */
const LOOKED_AT = 100_000;

export class PostgresStoredCosts {
  private key: Promise<Buffer> | undefined;

  constructor(private readonly database: Database) {}

  /** How expensive the stored password hashes are. Reads only the beginning of each hash, which holds its settings. */
  async read(): Promise<StoredCosts> {
    const key = await this.sharedKey();
    return this.database.run(async (manager) => {
      const [{ rows } = { rows: 0 }] = await manager.query<{ rows: number }[]>(ESTIMATE);
      const percent = Math.min(100, (100 * LOOKED_AT) / Math.max(rows, 1));
      return { key, costs: await manager.query<StoredCosts['costs'][number][]>(COSTS, [percent]) };
    });
  }

  /**
   * Random bytes that all instances share. They are read once; each use derives a key of its own from them. Throws
   * `unavailable` while PostgreSQL has not answered yet.
   */
  sharedKey(): Promise<Buffer> {
    this.key ??= this.database
      .run((manager) => manager.query<{ key: Buffer }[]>('SELECT key FROM decoy_key'))
      .then(([row]) => row!.key)
      .catch((error: unknown) => {
        this.key = undefined;
        throw error;
      });
    return this.key;
  }
}

const ESTIMATE = `SELECT reltuples::float8 AS rows FROM pg_class WHERE oid = 'accounts'::regclass`;
const COSTS = `
  SELECT substring(password_hash from '^\\$argon2id\\$v=19\\$[^$]+|^\\$2[aby]\\$\\d\\d') AS settings, count(*)::integer AS accounts
  FROM accounts TABLESAMPLE SYSTEM ($1) REPEATABLE (1)
  WHERE password_hash ~ '^\\$(argon2id\\$v=19\\$[^$]+\\$|2[aby]\\$\\d\\d\\$)'
  GROUP BY 1`;
