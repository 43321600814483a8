import { createSecretKey } from 'node:crypto';
import { SealAuditEvents } from '#application/audit/seal-audit-events.js';
import type { AuditTrailTransaction } from '#application/audit-trail-ports.js';
import type { AuditTrail } from '#application/ports.js';
import { VerifyAuditTrail } from '#application/audit/verify-audit-trail.js';
import { openApplication, times, type Application } from '../application/application.js';
import { createMigratedDatabase } from './databases.mjs';

export const SEAL_KEY_HEX = '5e'.repeat(32);
export const SEAL_KEY = createSecretKey(Buffer.from(SEAL_KEY_HEX, 'hex'));

export interface Trail {
  readonly app: Application;
  readonly url: string;
  /** Records this number of failures, each as a separate event. */
  record(count: number): Promise<void>;
  seal(): Promise<string>;
  /** The number of unsealed events, as of the sealer's last run. */
  unsealedEvents(): number;
  /** The audit trail with a clock that is this many days ahead or behind. */
  inDays(days: number): AuditTrail;
  /** Three seals over three events each. */
  recordNineInThreeSeals(): Promise<void>;
  verify(...expected: Parameters<VerifyAuditTrail['execute']>): ReturnType<VerifyAuditTrail['execute']>;
  /** Runs statements as a person with the database's password can, without the triggers. */
  tamper(...statements: string[]): Promise<void>;
  /** Empties the audit trail, as if nothing had ever been recorded. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The same audit trail, with a clock that is wrong by some days. */
class ShiftedTrail implements AuditTrail {
  constructor(
    private readonly trail: AuditTrail,
    private readonly days: number,
  ) {}

  unsealedEvents = () => this.trail.unsealedEvents();
  events = (...args: Parameters<AuditTrail['events']>) => this.trail.events(...args);
  read = <T>(work: Parameters<typeof this.trail.read<T>>[0]) => this.trail.read(work);
  exclusively = <T>(work: (transaction: AuditTrailTransaction) => Promise<T>) =>
    this.trail.exclusively((transaction) => {
      const now = new Date(transaction.now.getTime() + this.days * DAY_MS);
      return work(Object.create(transaction, { now: { value: now } }) as AuditTrailTransaction);
    });
}

/** An audit trail in its own database. */
export async function openTrail(): Promise<Trail> {
  const database = await createMigratedDatabase();
  const app = await openApplication(database.url);
  let sealer = new SealAuditEvents(app.auditTrail, [SEAL_KEY]);
  let recorded = 0;
  const record = async (count: number) => {
    await app.sql(
      `INSERT INTO audit_events (type, reason, owner_id, client_ip, user_agent)
       SELECT 'authentication.failed', 'revoked', 'owner-' || n, '192.0.2.1', 'Ünïcode "agent"'
       FROM generate_series($1::int, $2::int) AS n`,
      [recorded + 1, (recorded += count)],
    );
  };
  const tamper = async (...statements: string[]) => {
    await app.sql(['BEGIN', 'SET LOCAL session_replication_role = replica', ...statements, 'COMMIT'].join(';'));
  };
  return {
    app,
    url: database.url,
    record,
    seal: () => sealer.execute(),
    unsealedEvents: () => sealer.unsealedEvents,
    inDays: (days) => new ShiftedTrail(app.auditTrail, days),
    recordNineInThreeSeals: async () => {
      for (const events of times(3, () => 3)) {
        await record(events);
        await sealer.execute();
      }
    },
    verify: (exported) => new VerifyAuditTrail(app.auditTrail, [SEAL_KEY]).execute(exported),
    tamper,
    reset: async () => {
      await tamper('TRUNCATE audit_events, audit_seals, audit_prunings RESTART IDENTITY');
      sealer = new SealAuditEvents(app.auditTrail, [SEAL_KEY]);
      recorded = 0;
    },
    close: async () => {
      await app.close();
      await database.drop();
    },
  };
}
