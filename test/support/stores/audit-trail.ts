import { createSecretKey } from 'node:crypto';
import { SealAuditEvents } from '#application/audit/seal-audit-events.js';
import { VerifyAuditTrail } from '#application/audit/verify-audit-trail.js';
import type { AuditSeal } from '#domain/audit/audit-seal.js';
import { DAY_MS } from '#domain/time.js';
import { openHeldDatabase } from '../../contracts/support/postgres-world.js';

export const SEAL_KEY_HEX = '5e'.repeat(32);
export const SEAL_KEY = createSecretKey(Buffer.from(SEAL_KEY_HEX, 'hex'));

export type Trail = Awaited<ReturnType<typeof openTrail>>;

/** An audit trail in its own database, whose clock stands still. */
export async function openTrail() {
  const database = await openHeldDatabase();
  const app = await database.start({});
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
    url: database.url,
    start: () => database.start({}),
    record,
    seal,
    tamper,
    /** The number of unsealed events, as of the sealer's last run. */
    unsealedEvents: () => sealer.unsealedEvents,
    /** Runs `work` with the clock moved by this many days. */
    inDays: async <T>(days: number, work: () => Promise<T>) => {
      await database.pass(days * DAY_MS);
      return work().finally(() => database.pass(-days * DAY_MS));
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
    ids: async () => (await app.sql<{ id: string }>('SELECT id FROM audit_events ORDER BY id')).map(({ id }) => +id),
    seals: () =>
      app.sql<{ from: string; to: string; count: number }>(
        'SELECT from_event_id AS from, to_event_id AS to, event_count AS count FROM audit_seals ORDER BY id',
      ),
    newestSeal: () => auditTrail.read((trail) => trail.newestSeal()),
    addSeal: (forged: AuditSeal) => auditTrail.exclusively((trail) => trail.addSeal(forged)),
    /** Empties the database, as if nothing had ever been recorded. */
    reset: async () => {
      const tables = 'audit_events, audit_seals, audit_prunings, sessions, api_keys, accounts';
      await tamper(`TRUNCATE ${tables} RESTART IDENTITY CASCADE`);
      sealer = new SealAuditEvents(auditTrail, [SEAL_KEY]);
      recorded = 0;
    },
    close: () => app.close().finally(() => database.drop()),
  };
}
