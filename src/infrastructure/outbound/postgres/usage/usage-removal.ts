import type { EntityManager } from 'typeorm';
import { USAGE_KEPT_DAYS } from '../../../../domain/usage/key-history.js';
import type { Database } from '../client/database.js';

/** Any number will do, as long as every instance takes the same. */
const USAGE_LOCK = 5_052_193_863;

/**
 * Flushes run at the same time as other flushes, and never at the same time as a purge: a flush that began before it is waited
 * for, and one that begins later sees that the keys are purged. Held until the transaction ends.
 */
export async function lockUsage(manager: EntityManager, as: 'flush' | 'purge'): Promise<void> {
  const lock = as === 'flush' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  await manager.query(`SELECT ${lock}($1)`, [USAGE_LOCK]);
}

const TABLES = ['api_key_usage', 'api_key_addresses', 'api_key_days', 'api_key_networks'];

/** Deletes what the keys of a purged account did, once they are marked as purged: none of it is written again. */
export async function forgetUsage(manager: EntityManager, ownerId: string): Promise<void> {
  await lockUsage(manager, 'purge');
  for (const table of TABLES) {
    await manager.query(
      `DELETE FROM ${table} WHERE key_id IN (SELECT id FROM api_keys WHERE owner_id = $1 AND purged)`,
      [ownerId],
    );
  }
}

/** At a time: after midnight a day of all keys is due. */
const BATCH = 10_000;

/** What is deleted when, by its table's index of ages. */
const OLD = {
  api_key_addresses: `last_at <= clock_timestamp() - make_interval(days => $1)`,
  api_key_days: `day <= (clock_timestamp() AT TIME ZONE 'UTC')::date - $1::integer`,
  // A network is known for so many days after the last one.
  api_key_networks: `last_on < (clock_timestamp() AT TIME ZONE 'UTC')::date - $1::integer`,
};

/** Deletes what keys did long ago. */
export class PostgresUsagePruning {
  constructor(private readonly database: Database) {}

  async run(): Promise<void> {
    for (const [table, isOld] of Object.entries(OLD)) {
      while ((await this.delete(table, isOld)) === BATCH);
    }
  }

  /** Leaves out what a flush, or another instance, holds at that moment. */
  private async delete(table: string, isOld: string): Promise<number> {
    const [, count] = await this.database.run((manager) =>
      manager.query<[unknown, number]>(
        `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE ${isOld} LIMIT $2 FOR UPDATE SKIP LOCKED))`,
        [USAGE_KEPT_DAYS, BATCH],
      ),
    );
    return count;
  }
}
