import { LatchkeyError } from '../../../domain/errors.js';
import { createDataSource } from './schema.js';
import { appliedMigrations, lockTimeoutMs, migrate, type Report } from './migrations/migrate.js';
import type { Primary } from './client/primary.js';
import type { Limits, SessionSource } from './client/data-source.js';

const OLDEST_VERSION = 140_000;
const POOL_HINT = 'set DATABASE_POOLING=transaction, or see docs/pooling.md for one in session mode';

/** A problem with the database that keeps the service from starting, in one line for the operator. */
class DatabaseNotUsable extends Error {}

interface Opening {
  readonly limits?: Limits;
  readonly report?: Report;
}

/** Connects, migrates, and refuses a database that the service can't work with correctly. */
export async function openDatabase(
  primary: Primary,
  keyPrefix: string,
  { limits, report }: Opening = {},
): Promise<SessionSource> {
  await migrateDatabase(primary, report);
  return connect(primary, createDataSource(primary, limits), (dataSource) => requirePrefix(dataSource, keyPrefix));
}

/** Applies missing migrations, one instance at a time, and returns their names. */
export async function migrateDatabase(primary: Primary, report: Report = () => {}): Promise<string[]> {
  // PgBouncer refuses the limit if DATABASE_POOLING was forgotten.
  const limited = createDataSource(primary, { lock_timeout: lockTimeoutMs(primary.config) });
  const dataSource = await connect(primary, limited, requireVersion);
  try {
    return await migrate(dataSource, primary.config, report);
  } catch (error) {
    // insufficient_privilege: the role may only run the service.
    const { code, message } = error as Error & { code?: string };
    if (code !== '42501') throw notUsable(error);
    throw new DatabaseNotUsable(
      `DATABASE_URL: the tables are missing or older than this version, and this role may not change that (${message}): run \`latchkey migrate\` as a role that may`,
      { cause: error },
    );
  } finally {
    await dataSource.destroy();
  }
}

/** For tools that run next to the service. Does not migrate. If `isUnlimited`, statements run without a time limit. */
export function connectMigrated(primary: Primary, isUnlimited: boolean): Promise<SessionSource> {
  return connect(primary, isUnlimited ? createDataSource(primary, {}) : createDataSource(primary), requireMigrated);
}

/** For a look at a database in any state. */
export function connectAny(primary: Primary): Promise<SessionSource> {
  return connect(primary, createDataSource(primary), async () => undefined);
}

async function connect(
  primary: Primary,
  dataSource: SessionSource,
  require: (dataSource: SessionSource) => Promise<void>,
): Promise<SessionSource> {
  try {
    await primary.open();
    await dataSource.initialize();
    await require(dataSource);
    return dataSource;
  } catch (error) {
    if (dataSource.isInitialized) await dataSource.destroy();
    throw notUsable(error);
  }
}

function notUsable(error: unknown): DatabaseNotUsable {
  if (error instanceof DatabaseNotUsable) return error;
  if (error instanceof LatchkeyError && error.cause) return notUsable(error.cause);
  // A host name with several addresses fails with one error for each, in an error that has no message itself.
  const { message, code } = error as Error & { code?: string };
  // PgBouncer uses 08P01 for nearly every error, so only the text shows that it refuses a setting of the session.
  const hint = message.startsWith('unsupported startup parameter') ? ` (a pool? ${POOL_HINT})` : '';
  return new DatabaseNotUsable(`DATABASE_URL: ${message || code}${hint}`, { cause: error });
}

async function requireVersion(dataSource: SessionSource): Promise<void> {
  const statement = `SELECT current_setting('server_version_num')::integer AS version`;
  const [row] = await dataSource.query<{ version: number }[]>(statement);
  if (row!.version < OLDEST_VERSION) throw new DatabaseNotUsable('DATABASE_URL: PostgreSQL 14 or newer is needed');
}

/** Newer tables than ours are fine: while an update runs, an older instance sees them too. */
async function requireMigrated(dataSource: SessionSource): Promise<void> {
  const applied = await appliedMigrations(dataSource);
  if (dataSource.migrations.every(({ name }) => name !== undefined && applied.includes(name))) return;
  throw new DatabaseNotUsable('DATABASE_URL: the tables are older than this version: run `latchkey migrate`');
}

/** With another marker, all stored keys would be refused as malformed. */
async function requirePrefix(dataSource: SessionSource, keyPrefix: string): Promise<void> {
  const [row] = await dataSource.query<{ key_prefix: string }[]>('SELECT key_prefix FROM api_keys LIMIT 1');
  if (row && row.key_prefix !== keyPrefix) {
    throw new DatabaseNotUsable(`KEY_PREFIX differs from that of the stored keys, which is ${row.key_prefix}`);
  }
}
