import {
  type AuditTrailSnapshot,
  type AuditTrailTransaction,
  type TimeSpan,
  FIRST_ID,
} from '../../../../application/audit-trail-ports.js';
import type { AuditTrail } from '../../../../application/ports.js';
import type { SealableEvent } from '../../../../domain/audit/audit-seal.js';
import { AuditEventRow, toSealableEvent } from './rows.js';
import { PostgresAuditTrailTransaction, rowsById } from './audit-trail-transaction.js';
import type { Database } from '../client/database.js';

/** An arbitrary number, the same on all instances. One instance seals or prunes; the others skip their turn. */
const TRAIL_LOCK = 5_052_193_862;

export class PostgresAuditTrail implements AuditTrail {
  constructor(private readonly database: Database) {}

  unsealedEvents(): Promise<number> {
    return this.database.run(async (manager) => {
      const [row] = await manager.query<{ unsealed: string }[]>(
        `SELECT greatest(0, coalesce((SELECT max(id) FROM audit_events), 0)
          - coalesce((SELECT to_event_id FROM audit_seals ORDER BY id DESC LIMIT 1), 0)) AS unsealed`,
      );
      return Number(row!.unsealed);
    });
  }

  async *events({ since, until }: TimeSpan): AsyncIterable<SealableEvent> {
    const rows = rowsById(this.database, AuditEventRow, FIRST_ID, (page) => {
      if (since) page.andWhere('row.at >= :since', { since });
      if (until) page.andWhere('row.at < :until', { until });
    });
    for await (const row of rows) yield toSealableEvent(row);
  }

  exclusively<T>(work: (transaction: AuditTrailTransaction) => Promise<T>): Promise<T | undefined> {
    return this.database.transaction(async (manager) => {
      // PostgreSQL releases the lock when the transaction ends.
      const lock = 'SELECT pg_try_advisory_xact_lock($1) AS taken';
      const [row] = await manager.query<{ taken: boolean }[]>(lock, [TRAIL_LOCK]);
      return row!.taken ? work(await PostgresAuditTrailTransaction.begin(manager)) : undefined;
    });
  }

  read<T>(work: (snapshot: AuditTrailSnapshot) => Promise<T>): Promise<T> {
    return this.database.snapshot(async (manager) => work(await PostgresAuditTrailTransaction.begin(manager)));
  }
}
