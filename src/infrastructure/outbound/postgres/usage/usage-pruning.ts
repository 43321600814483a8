import { USAGE_KEPT_DAYS } from '../../../../domain/usage/key-history.js';
import type { Database } from '../client/database.js';

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

  /** Passes over what a flush, or another instance, is at just now. */
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
