import type { EntityManager } from 'typeorm';
import type { AuditTrailReading, AuditTrailTransaction } from '../../application/audit-trail.js';
import { AuditTrail } from '../../application/ports.js';
import { PostgresAuditTrailTransaction } from './audit-trail-transaction.js';
import type { Database } from './database.js';

/** Any number will do, as long as every instance takes the same: one seals or prunes, the others pass on. */
const TRAIL_LOCK = 5_052_193_862;

export class PostgresAuditTrail extends AuditTrail {
  constructor(private readonly database: Database) {
    super();
  }

  unsealedEvents(): Promise<number> {
    return this.database.run(async (manager) => {
      const [row] = await manager.query<{ unsealed: string }[]>(
        `SELECT greatest(0, coalesce((SELECT max(id) FROM audit_events), 0)
          - coalesce((SELECT to_event_id FROM audit_seals ORDER BY id DESC LIMIT 1), 0)) AS unsealed`,
      );
      return Number(row!.unsealed);
    });
  }

  exclusively<T>(work: (transaction: AuditTrailTransaction) => Promise<T>): Promise<T | undefined> {
    return this.database.transaction(async (manager) => {
      if (!(await takesLock(manager))) return undefined;
      return work(await PostgresAuditTrailTransaction.begin(manager));
    });
  }

  read<T>(work: (reading: AuditTrailReading) => Promise<T>): Promise<T> {
    return this.database.snapshot(async (manager) => work(await PostgresAuditTrailTransaction.begin(manager)));
  }
}

/** Held until the transaction ends, however it does. */
async function takesLock(manager: EntityManager): Promise<boolean> {
  const [row] = await manager.query<{ taken: boolean }[]>('SELECT pg_try_advisory_xact_lock($1) AS taken', [
    TRAIL_LOCK,
  ]);
  return row!.taken;
}
