import { createSecretKey } from 'node:crypto';
import { SealAuditEvents } from '#application/audit/seal-audit-events.js';
import type { AuditTrailTransaction, AuditTrail } from '#application/audit-ports.js';
import { VerifyAuditTrail } from '#application/audit/verify-audit-trail.js';
import { DAY_MS } from '#domain/time.js';
import { openOnOwnDatabase } from '../application/application.js';

export const SEAL_KEY_HEX = '5e'.repeat(32);
export const SEAL_KEY = createSecretKey(Buffer.from(SEAL_KEY_HEX, 'hex'));

export type Trail = Awaited<ReturnType<typeof openTrail>>;

/** An audit trail in its own database. */
export async function openTrail() {
  const app = await openOnOwnDatabase();
  const { auditTrail } = app;
  let sealer = new SealAuditEvents(auditTrail, [SEAL_KEY]);
  let recorded = 0;
  /** Records this number of failures, each as a separate event. */
  const record = async (count: number) => {
    await app.sql(
      `INSERT INTO audit_events (type, reason, owner_id, client_ip, user_agent)
       SELECT 'authentication.failed', 'revoked', 'owner-' || n, '192.0.2.1', 'Ünïcode "agent"'
       FROM generate_series($1::int, $2::int) AS n`,
      [recorded + 1, (recorded += count)],
    );
  };
  const seal = () => sealer.execute();
  /** Runs statements as a person with the database's password can, without the triggers. */
  const tamper = async (...statements: string[]) => {
    await app.sql(['BEGIN', 'SET LOCAL session_replication_role = replica', ...statements, 'COMMIT'].join(';'));
  };
  return {
    app,
    url: app.databaseUrl,
    record,
    seal,
    tamper,
    /** The audit trail with a clock that is this many days ahead or behind. */
    inDays: (days: number): AuditTrail => {
      const exclusively: AuditTrail['exclusively'] = (work) =>
        auditTrail.exclusively((transaction) => {
          const now = new Date(transaction.now.getTime() + days * DAY_MS);
          return work(Object.create(transaction, { now: { value: now } }) as AuditTrailTransaction);
        });
      return Object.create(auditTrail, { exclusively: { value: exclusively } }) as AuditTrail;
    },
    /** Three seals over three events each. */
    recordNineInThreeSeals: async () => {
      for (let seals = 0; seals < 3; seals += 1) {
        await record(3);
        await seal();
      }
    },
    verify: (...expected: Parameters<VerifyAuditTrail['execute']>) =>
      new VerifyAuditTrail(auditTrail, [SEAL_KEY]).execute(...expected),
    /** Empties the audit trail, as if nothing had ever been recorded. */
    reset: async () => {
      await tamper('TRUNCATE audit_events, audit_seals, audit_prunings RESTART IDENTITY');
      sealer = new SealAuditEvents(auditTrail, [SEAL_KEY]);
      recorded = 0;
    },
    close: () => app.close(),
  };
}
