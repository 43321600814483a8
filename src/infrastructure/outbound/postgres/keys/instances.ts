import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { UnansweredChange, Instances } from '#application/account-ports.js';
import type { Serving } from '#application/examination.js';
import type { Database } from '../client/database.js';

/** In SQL. Written so that no row is left out on a server whose clock is behind. */
const renewedWithin = (interval: string) => `renewed_at > clock_timestamp() - interval '${interval}'`;

/** In SQL: LEASE_MS, the longest of all processes that a snapshot shows as renewed. A change waits for 5 minutes longer. */
export const LONGEST_LEASE_SQL = `(SELECT max(lease_ms) FROM instances WHERE ${renewedWithin('10 minutes')})`;

/** In SQL: how many processes of each kind served within 15 minutes. */
export const SERVING_SQL = `
  SELECT version, lease_ms AS "leaseMs", count(*)::integer AS count FROM instances
  WHERE ${renewedWithin('15 minutes')} GROUP BY version, lease_ms ORDER BY version, lease_ms`;

/**
 * The processes that serve, this one among them. Nothing of a row but the time of its renewal ever changes. A stop leaves
 * the row, because leases from before it may still be used.
 */
export class PostgresInstances implements Instances {
  private readonly id = randomUUID();

  constructor(private readonly database: Database) {}

  /** Call it at the start, and each minute. Also deletes the rows of processes that have not served for a day. */
  async renew(version: string, leaseMs: number): Promise<void> {
    await this.database.maintain(async (manager) => {
      await manager.query(
        `INSERT INTO instances (id, version, lease_ms, since, renewed_at)
         VALUES ($1, $2, $3, clock_timestamp(), clock_timestamp())
         ON CONFLICT (id) DO UPDATE SET renewed_at = clock_timestamp()`,
        [this.id, version, leaseMs],
      );
      await manager.query(`DELETE FROM instances WHERE NOT ${renewedWithin('1 day')}`);
    });
  }

  async longestLeaseMs(): Promise<number | undefined> {
    const longest = `SELECT max(lease_ms) AS ms FROM instances WHERE ${renewedWithin('15 minutes')}`;
    const read = (manager: EntityManager) => manager.query<{ ms: number | null }[]>(longest);
    return (await this.database.run(read))[0]?.ms ?? undefined;
  }

  async clear(changes: readonly UnansweredChange[]): Promise<void> {
    await this.database.maintain((manager) =>
      manager.query(
        `UPDATE accounts SET unanswered = NULL
         FROM unnest($1::text[], $2::uuid[]) AS change (owner_id, id)
         WHERE accounts.id = change.owner_id AND accounts.unanswered = change.id`,
        [changes.map(({ ownerId }) => ownerId), changes.map(({ changeId }) => changeId)],
      ),
    );
  }

  serving(): Promise<Serving[]> {
    return this.database.run((manager) => manager.query<Serving[]>(SERVING_SQL));
  }
}
