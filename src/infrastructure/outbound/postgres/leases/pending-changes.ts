import type { LeasesFound, PendingChanges } from '../../../../application/change-ports.js';
import type { Giver } from '../../../../domain/leases/change-wait.js';
import type { Recall } from '../../../../domain/leases/giving.js';
import type { Database } from '../client/database.js';
import { unavailable } from '../client/errors.js';
import { CHANGES } from './lease-messages.js';

/** Nothing is lost with such a commit but a wait that has ended: the row of the change is still there after a crash. */
const COMMITS_AT_ONCE = `set_config('synchronous_commit', 'off', true) IS NOT NULL`;

interface RecallRow extends Giver {
  readonly timeline: number;
  readonly hasGiver: boolean;
}

export class PostgresPendingChanges implements PendingChanges {
  constructor(private readonly database: Database) {}

  /** PostgreSQL sends equal notifications of a transaction once. */
  async recall({ notificationId, ownerId }: Recall, timeline: number): Promise<readonly Giver[]> {
    const rows = await this.database.run((manager) =>
      manager.query<RecallRow[]>(
        `SELECT server.timeline, giver.id IS NOT NULL AS "hasGiver", giver.id, giver.lease_ms AS "leaseMs",
           CASE WHEN giver.id IS NOT NULL THEN pg_notify('${CHANGES}', $1) END
         FROM (SELECT ${this.database.timeline} AS timeline, ${COMMITS_AT_ONCE}) server
           LEFT JOIN lease_registrations giver ON true`,
        [JSON.stringify({ id: notificationId, owner: ownerId })],
      ),
    );
    const [first] = rows;
    if (first!.timeline !== timeline) throw unavailable(new Error('PostgreSQL was replaced after the commit'));
    return rows.filter(({ hasGiver }) => hasGiver).map(({ id, leaseMs }) => ({ id, leaseMs }));
  }

  async end(changeIds: readonly string[], completeTimeline: number | undefined): Promise<void> {
    await this.database.run((manager) =>
      manager.query(
        `WITH named AS (UPDATE lease_timeline SET timeline = $2 WHERE $2::float8 = ${this.database.timeline})
         DELETE FROM pending_changes WHERE change_id = ANY ($1::uuid[]) AND ${COMMITS_AT_ONCE}`,
        [changeIds, completeTimeline ?? null],
      ),
    );
  }
}

/** Columns for a statement after the lock of the account. $1 is its id. @param timeline in SQL */
export function leasesFound(timeline: string): string {
  return `${timeline} AS timeline, (SELECT timeline::float8 FROM lease_timeline) AS "completeTimeline",
    EXISTS (SELECT FROM lease_registrations) AS "hasGivers",
    array(SELECT change_id::text FROM pending_changes WHERE owner_id = $1) AS pending`;
}

export type LeasesFoundRow = Omit<LeasesFound, 'completeTimeline'> & { readonly completeTimeline: number | null };
