import type { EntityManager } from 'typeorm';
import { USAGE_KEPT_DAYS } from '../../../../domain/usage/key-history.js';
import type { Database } from '../client/database.js';

/** An arbitrary number, the same on all instances. */
const USAGE_LOCK = 5_052_193_863;

/** A purge waits for flushes that have started. A flush that starts later sees that the keys are purged. */
export async function lockUsage(manager: EntityManager, as: 'flush' | 'purge'): Promise<void> {
  const lock = as === 'flush' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  await manager.query(`SELECT ${lock}($1)`, [USAGE_LOCK]);
}

const TABLES = ['api_key_usage', 'api_key_addresses', 'api_key_days', 'api_key_networks'];

/** Call it after the keys are marked as purged, so that nothing is written again. */
export async function forgetUsage(manager: EntityManager, ownerId: string): Promise<void> {
  await lockUsage(manager, 'purge');
  for (const table of TABLES) {
    const ofPurgedKeys = 'key_id IN (SELECT id FROM api_keys WHERE owner_id = $1 AND purged)';
    await manager.query(`DELETE FROM ${table} WHERE ${ofPurgedKeys}`, [ownerId]);
  }
}

/** Rows for each statement, because after midnight a whole day of all keys is due. */
const BATCH = 10_000;

/** Which rows are old, for each table. Each condition uses the table's index by age. */
const OLD = {
  api_key_addresses: `last_at <= clock_timestamp() - make_interval(days => $1)`,
  api_key_days: `day <= (clock_timestamp() AT TIME ZONE 'UTC')::date - $1::integer`,
  // A network stays known for this many days after its last day.
  api_key_networks: `last_on < (clock_timestamp() AT TIME ZONE 'UTC')::date - $1::integer`,
};

/** Deletes usage that is older than we keep it. */
export class PostgresUsagePruning {
  constructor(private readonly database: Database) {}

  async run(): Promise<void> {
    for (const [table, isOld] of Object.entries(OLD)) {
      while ((await this.delete(table, isOld)) === BATCH);
    }
  }

  /** Skips rows that a flush or another instance has locked. */
  private async delete(table: string, isOld: string): Promise<number> {
    const old = `SELECT ctid FROM ${table} WHERE ${isOld} LIMIT $2 FOR UPDATE SKIP LOCKED`;
    const statement = `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(${old}))`;
    const values = [USAGE_KEPT_DAYS, BATCH];
    const [, count] = await this.database.run((manager) => manager.query<[unknown, number]>(statement, values));
    return count;
  }
}
