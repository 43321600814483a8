import type { DataSource } from 'typeorm';
import { createDataSource } from './data-source.js';

const OLDEST_VERSION = 140_000;
/** Any number will do, as long as every instance takes the same: one migrates, the others wait for it. */
const MIGRATION_LOCK = 5_052_193_861;

/** Something about the database that keeps the service from starting, in one line for whoever starts it. */
export class DatabaseNotUsable extends Error {}

/** Connects, migrates, and refuses a database that can't keep the promises. */
export async function openDatabase(url: string, keyPrefix: string): Promise<DataSource> {
  const dataSource = createDataSource(url);
  try {
    await using(createDataSource(url, {}), async (unlimited) => {
      await requireVersion(unlimited);
      await migrate(unlimited);
    });
    await dataSource.initialize();
    await requirePrefix(dataSource, keyPrefix);
    return dataSource;
  } catch (error) {
    if (dataSource.isInitialized) await dataSource.destroy();
    if (error instanceof DatabaseNotUsable) throw error;
    throw new DatabaseNotUsable(`DATABASE_URL: ${(error as Error).message}`, { cause: error });
  }
}

async function using(dataSource: DataSource, work: (dataSource: DataSource) => Promise<void>): Promise<void> {
  await dataSource.initialize();
  try {
    await work(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

async function requireVersion(dataSource: DataSource): Promise<void> {
  const [row] = await dataSource.query<{ version: number }[]>(
    `SELECT current_setting('server_version_num')::integer AS version`,
  );
  if (row!.version < OLDEST_VERSION) throw new DatabaseNotUsable('DATABASE_URL: PostgreSQL 14 or newer is needed');
}

/** Under the lock from the first look on, for even that look creates TypeORM's own table. */
async function migrate(dataSource: DataSource): Promise<void> {
  const runner = dataSource.createQueryRunner();
  try {
    await runner.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await dataSource.runMigrations();
  } finally {
    // The lock ends with its connection, which is closed right after.
    await runner.release();
  }
}

/** Keys under another marker would all be refused as malformed; that is a mistake, not a migration. */
async function requirePrefix(dataSource: DataSource, keyPrefix: string): Promise<void> {
  const [row] = await dataSource.query<{ key_prefix: string }[]>('SELECT key_prefix FROM api_keys LIMIT 1');
  if (row && row.key_prefix !== keyPrefix) {
    throw new DatabaseNotUsable(`KEY_PREFIX differs from that of the stored keys, which is ${row.key_prefix}`);
  }
}
