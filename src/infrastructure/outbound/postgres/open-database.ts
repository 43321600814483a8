import { LatchkeyError } from '#domain/errors.js';
import { createDataSource } from './schema.js';
import { appliedMigrations, migrate, type Report, whyTooOld } from './migrations/migrate.js';
import type { Primary } from './client/primary.js';
import { type Limits, lockTimeoutMs, type SessionSource } from './client/data-source.js';

const OLDEST_VERSION = 140_000;
const POOL_HINT = 'set DATABASE_POOLING=transaction, or see docs/operate.md for one in session mode';
/** Node.js could not verify the server's certificate. */
const UNVERIFIED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);
const TLS_HINT =
  'every sslmode but no-verify checks the certificate and its name, require too: add sslrootcert=/path/ca.pem for your own certificate authority';

/** A problem with the database that keeps the service from starting, in one line for the operator. */
class DatabaseNotUsable extends Error {}

interface Opening {
  readonly limits?: Limits;
  readonly report?: Report;
  /** Whether old events are deleted (AUDIT_RETENTION_DAYS). */
  readonly deletesEvents?: boolean;
}

/** Connects, migrates, and refuses a database that the service can't work with correctly. */
export async function openDatabase(
  primary: Primary,
  keyPrefix: string,
  { limits, report, deletesEvents = false }: Opening = {},
): Promise<SessionSource> {
  await migrateDatabase(primary, report);
  return connect(primary, createDataSource(primary, limits), async (dataSource) => {
    await requireRights(dataSource, deletesEvents);
    await requirePrefix(dataSource, keyPrefix);
  });
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
  const isPool = message.startsWith('unsupported startup parameter');
  const hint = isPool ? ` (a pool? ${POOL_HINT})` : UNVERIFIED.has(code ?? '') ? ` (${TLS_HINT})` : '';
  return new DatabaseNotUsable(`DATABASE_URL: ${message || code}${hint}`, { cause: error });
}

async function requireVersion(dataSource: SessionSource): Promise<void> {
  const statement = `SELECT current_setting('server_version_num')::integer AS version, current_setting('server_encoding') AS encoding`;
  const [row] = await dataSource.query<{ version: number; encoding: string }[]>(statement);
  const { version, encoding } = row!;
  if (version < OLDEST_VERSION) throw new DatabaseNotUsable('DATABASE_URL: PostgreSQL 14 or newer is needed');
  if (encoding === 'UTF8') return;
  throw new DatabaseNotUsable(
    `DATABASE_URL: the database has the encoding ${encoding}, which can't store every name: create one with ENCODING 'UTF8' TEMPLATE template0`,
  );
}

/** Newer tables than ours are fine: while an update runs, an older instance sees them too. */
async function requireMigrated(dataSource: SessionSource): Promise<void> {
  const applied = await appliedMigrations(dataSource);
  if (dataSource.migrations.every(({ name }) => name !== undefined && applied.includes(name))) return;
  const why = whyTooOld(applied) ?? 'the tables are older than this version: run `latchkey migrate`';
  throw new DatabaseNotUsable(`DATABASE_URL: ${why}`);
}

/** What the service does with each table while it runs: deploy/postgres/grants.sql gives it. */
export const RIGHTS: Readonly<Record<string, readonly string[]>> = {
  SELECT: ['migrations', 'decoy_key', 'told_notices'],
  'SELECT, INSERT, UPDATE': ['accounts', 'api_keys', 'notice_sequences', 'key_notices'],
  'SELECT, INSERT, UPDATE, DELETE': [
    'sessions',
    'spent_sign_ins',
    'idle_notices',
    'password_guesses',
    'outbox',
    'leak_reports',
    'leak_report_budgets',
    'api_key_usage',
    'api_key_addresses',
    'api_key_denials',
    'api_key_days',
    'api_key_networks',
    'api_key_permissions',
    'instances',
  ],
  'SELECT, INSERT': ['audit_events', 'audit_seals', 'audit_prunings'],
};

const LACKING = `
  SELECT right_name || ' on ' || table_name AS lacking FROM unnest($1::text[], $2::text[]) AS needed (right_name, table_name)
  WHERE NOT has_table_privilege(to_regclass(table_name), right_name) ORDER BY table_name`;

/** What the role may not do, and the service does. */
export async function lackingRights(dataSource: SessionSource, deletesEvents: boolean): Promise<string[]> {
  const needed = Object.entries(RIGHTS).flatMap(([rights, tables]) =>
    rights.split(', ').flatMap((right) => tables.map((table) => [right, table] as const)),
  );
  if (deletesEvents) needed.push(['DELETE', 'audit_events']);
  const columns = [needed.map(([right]) => right), needed.map(([, table]) => table)];
  const rows = await dataSource.query<{ lacking: string }[]>(LACKING, columns);
  return rows.map((row) => row.lacking);
}

/** Otherwise the service would be ready, and a change would fail at the first table that an upgrade added. */
async function requireRights(dataSource: SessionSource, deletesEvents: boolean): Promise<void> {
  const lacking = await lackingRights(dataSource, deletesEvents);
  if (lacking.length === 0) return;
  const hint = lacking.includes('DELETE on audit_events')
    ? 'for AUDIT_RETENTION_DAYS run `GRANT DELETE ON audit_events TO` this role'
    : 'run deploy/postgres/grants.sql, as after each `latchkey migrate`';
  throw new DatabaseNotUsable(`DATABASE_URL: this role lacks ${lacking.join(', ')}: ${hint}`);
}

/** With another marker, all stored keys would be refused as malformed. */
async function requirePrefix(dataSource: SessionSource, keyPrefix: string): Promise<void> {
  const [row] = await dataSource.query<{ key_prefix: string }[]>('SELECT key_prefix FROM api_keys LIMIT 1');
  if (row && row.key_prefix !== keyPrefix) {
    throw new DatabaseNotUsable(`KEY_PREFIX differs from that of the stored keys, which is ${row.key_prefix}`);
  }
}
