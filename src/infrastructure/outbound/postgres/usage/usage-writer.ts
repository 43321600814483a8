import type { EntityManager } from 'typeorm';
import type { NotifyOfNetworks } from '#application/key-ports.js';
import { LatchkeyError } from '#domain/errors.js';
import { OTHER_PERMISSIONS, PERMISSIONS_KEPT } from '#domain/usage/key-history.js';
import type { Database } from '../client/database.js';
import type { OutboxWriter } from '../outbox/outbox-writer.js';
import { deniedUses, fromNewNetworks, keepAddresses, usedAddresses } from './addresses.js';
import { withNetworks } from './networks.js';
import type { NotedUse } from './noted-key.js';

export interface UsageParts {
  readonly database: Database;
  readonly outbox: OutboxWriter;
  readonly notifyOfNetworks: NotifyOfNetworks;
  /** Called with the error of a flush that failed. */
  readonly onError: (error: unknown) => void;
}

/** Keys in a transaction. This many take some milliseconds, and validations run between its statements. */
const KEYS_A_TRANSACTION = 2000;

/** Never rejects. Returns what still has to be written, because PostgreSQL is unavailable. */
export async function writeUsage(parts: UsageParts, uses: readonly NotedUse[]): Promise<readonly NotedUse[]> {
  for (let written = 0; written < uses.length; written += KEYS_A_TRANSACTION) {
    const end = written + KEYS_A_TRANSACTION;
    const left = await writeBatch(parts, uses.slice(written, end));
    if (left.length > 0) return [...left, ...uses.slice(end)];
  }
  return [];
}

async function writeBatch(parts: UsageParts, batch: readonly NotedUse[]): Promise<readonly NotedUse[]> {
  let isWritten = false;
  try {
    await parts.database.transaction(async (manager) => {
      await writeTables(manager, batch, parts);
      isWritten = true;
    });
    return [];
  } catch (error) {
    parts.onError(error);
    const isUnavailable = error instanceof LatchkeyError && error.code === 'unavailable';
    if (!isUnavailable) return writeHalves(parts, batch);
    // If only the COMMIT failed, it may have succeeded with its answer lost. Then the counts are dropped: they may be
    // lost, but they are never counted twice. Everything else can be written again.
    return isWritten ? batch.map((use) => ({ ...use, days: [], permissions: [] })) : batch;
  }
}

/** A row that PostgreSQL refuses is dropped, and does not keep the others from being written. */
async function writeHalves(parts: UsageParts, batch: readonly NotedUse[]): Promise<readonly NotedUse[]> {
  if (batch.length === 1) return [];
  const half = Math.ceil(batch.length / 2);
  return [...(await writeBatch(parts, batch.slice(0, half))), ...(await writeBatch(parts, batch.slice(half)))];
}

/**
 * Writes the tables in this order, and keys in the order of their ids, so that two instances can't deadlock. No table of usage
 * refers to api_keys: writing a use and revoking a key never wait for each other.
 */
async function writeTables(
  manager: EntityManager,
  noted: readonly NotedUse[],
  { outbox, notifyOfNetworks }: UsageParts,
): Promise<void> {
  await lockUsage(manager, 'flush');
  const unknown = await unknownAmong(manager, noted);
  const uses = noted.filter(({ keyId }) => !unknown.has(keyId));
  const write = async (statement: string, rowsOf: (use: NotedUse) => readonly object[]) => {
    const rows = uses.flatMap((use) => rowsOf(use).map((row) => ({ keyId: use.keyId, ...row })));
    if (rows.length > 0) await manager.query(statement, [JSON.stringify(rows)]);
  };
  await write(LAST_USES, ({ lastMs }) => (lastMs === undefined ? [] : [{ lastMs }]));
  await write(DAYS, ({ days }) => days);
  await write(PERMISSIONS, ({ permissions }) => permissions);
  await keepAddresses(manager, 'api_key_denials', deniedUses(uses));
  const addresses = usedAddresses(uses);
  if (addresses.length === 0) return;
  await keepAddresses(manager, 'api_key_addresses', addresses);
  const added = await fromNewNetworks(manager, addresses);
  if (added.length === 0) return;
  await outbox.write(manager, await withNetworks(manager, added, notifyOfNetworks));
}

/** Keys of purged accounts. */
async function unknownAmong(manager: EntityManager, uses: readonly NotedUse[]): Promise<ReadonlySet<string>> {
  const keyIds = uses.map(({ keyId }) => keyId).join();
  const rows = await manager.query<{ id: string }[]>(
    `SELECT used.id FROM unnest(string_to_array($1, ',')::uuid[]) AS used (id)
    LEFT JOIN api_keys ON api_keys.id = used.id WHERE api_keys.purged IS DISTINCT FROM false`,
    [keyIds],
  );
  return new Set(rows.map(({ id }) => id));
}

/**
 * Keeps the latest time. Locks each row until the transaction ends, even one that does not change: no other instance
 * writes usage of a key that was granted here.
 */
const LAST_USES = `
  INSERT INTO api_key_usage (key_id, last_used_at)
  SELECT "keyId", to_timestamp("lastMs" / 1000)
  FROM json_to_recordset($1) AS used ("keyId" uuid, "lastMs" float8) ORDER BY "keyId"
  ON CONFLICT (key_id) DO UPDATE SET last_used_at = excluded.last_used_at
  WHERE api_key_usage.last_used_at < excluded.last_used_at`;

const MOST = '9223372036854775807';

/** Adds up the counts of all instances. A sum that is too large for its column stays at the largest. */
const DAYS = `
  INSERT INTO api_key_days (key_id, day, granted, refused)
  SELECT "keyId", date '1970-01-01' + day, granted, refused
  FROM json_to_recordset($1) AS noted ("keyId" uuid, day integer, granted bigint, refused bigint) ORDER BY "keyId", day
  ON CONFLICT (key_id, day) DO UPDATE
  SET granted = least(api_key_days.granted::numeric + excluded.granted, ${MOST}),
    refused = least(api_key_days.refused::numeric + excluded.refused, ${MOST})`;

/** Adds to what is stored. Of a key that has as many permissions as are kept, new ones are counted in one. */
const PERMISSIONS = `
  WITH noted AS (
    SELECT * FROM json_to_recordset($1) AS noted ("keyId" uuid, used text, "firstDay" integer, "lastDay" integer, count bigint)
  ), kept AS (
    SELECT key_id, count(*) AS number FROM api_key_permissions
    WHERE key_id IN (SELECT "keyId" FROM noted) AND used <> '${OTHER_PERMISSIONS}' GROUP BY key_id
  ), placed AS (
    SELECT noted.*, known.key_id IS NOT NULL AS is_known, coalesce(number, 0)
      + row_number() OVER (PARTITION BY noted."keyId", known.key_id IS NULL ORDER BY noted.used) AS place
    FROM noted LEFT JOIN kept ON kept.key_id = noted."keyId"
    LEFT JOIN api_key_permissions known ON known.key_id = noted."keyId" AND known.used = noted.used
  )
  INSERT INTO api_key_permissions AS known (key_id, used, first_on, last_on, count)
  SELECT "keyId", CASE WHEN is_known OR place <= ${PERMISSIONS_KEPT} THEN used ELSE '${OTHER_PERMISSIONS}' END AS name,
    date '1970-01-01' + min("firstDay"), date '1970-01-01' + max("lastDay"), sum(count)
  FROM placed GROUP BY "keyId", name ORDER BY "keyId", name
  ON CONFLICT (key_id, used) DO UPDATE SET first_on = least(known.first_on, excluded.first_on),
    last_on = greatest(known.last_on, excluded.last_on),
    count = least(known.count::numeric + excluded.count, ${MOST})`;

/** An arbitrary number, the same on all instances. */
const USAGE_LOCK = 5_052_193_863;

/** A purge waits for flushes that have started. A flush that starts later sees that the keys are purged. */
async function lockUsage(manager: EntityManager, as: 'flush' | 'purge'): Promise<void> {
  const lock = as === 'flush' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  await manager.query(`SELECT ${lock}($1)`, [USAGE_LOCK]);
}

/** What follows from usage, with its notices. */
const TABLES = [
  'api_key_usage',
  'api_key_addresses',
  'api_key_denials',
  'api_key_days',
  'api_key_networks',
  'api_key_permissions',
  'idle_notices',
];

/** Call it after the keys are marked as purged, so that nothing is written again. */
export async function forgetUsage(manager: EntityManager, ownerId: string): Promise<void> {
  await lockUsage(manager, 'purge');
  for (const table of TABLES) {
    const ofPurgedKeys = 'key_id IN (SELECT id FROM api_keys WHERE owner_id = $1 AND purged)';
    await manager.query(`DELETE FROM ${table} WHERE ${ofPurgedKeys}`, [ownerId]);
  }
}
