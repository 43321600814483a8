import type { EntityManager } from 'typeorm';
import { USAGE_KEPT_DAYS } from '../../../../domain/usage/key-history.js';
import type { Database } from '../client/database.js';
import { deleteOldRows, type OldRows } from '../client/old-rows.js';

/** An arbitrary number, the same on all instances. */
const USAGE_LOCK = 5_052_193_863;

/** A purge waits for flushes that have started. A flush that starts later sees that the keys are purged. */
export async function lockUsage(manager: EntityManager, as: 'flush' | 'purge'): Promise<void> {
  const lock = as === 'flush' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  await manager.query(`SELECT ${lock}($1)`, [USAGE_LOCK]);
}

const TABLES = ['api_key_usage', 'api_key_addresses', 'api_key_denials', 'api_key_days', 'api_key_networks'];

/** Call it after the keys are marked as purged, so that nothing is written again. */
export async function forgetUsage(manager: EntityManager, ownerId: string): Promise<void> {
  await lockUsage(manager, 'purge');
  for (const table of TABLES) {
    const ofPurgedKeys = 'key_id IN (SELECT id FROM api_keys WHERE owner_id = $1 AND purged)';
    await manager.query(`DELETE FROM ${table} WHERE ${ofPurgedKeys}`, [ownerId]);
  }
}

const TODAY = `($1::timestamptz AT TIME ZONE 'UTC')::date`;

const OLD: readonly OldRows[] = [
  ...['api_key_addresses', 'api_key_denials'].map((table) => ({
    table,
    areOld: `last_at <= $1::timestamptz - make_interval(days => ${USAGE_KEPT_DAYS})`,
  })),
  { table: 'api_key_days', areOld: `day <= ${TODAY} - ${USAGE_KEPT_DAYS}` },
  // A network stays known for this many days after its last day.
  { table: 'api_key_networks', areOld: `last_on < ${TODAY} - ${USAGE_KEPT_DAYS}` },
];

/** Deletes usage that is older than we keep it. */
export class PostgresUsagePruning {
  constructor(private readonly database: Database) {}

  run(): Promise<void> {
    return deleteOldRows(this.database, OLD);
  }
}
