import { createSecretKey } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createKey, newOwner, times } from '#test/support/application/application.js';
import { openTrail, SEAL_KEY, type Trail } from '#test/support/stores/audit-trail.js';
import { eventually } from '#test/support/eventually.js';
import { PruneAuditEvents } from '#application/audit/prune-audit-events.js';
import { SealAuditEvents } from '#application/audit/seal-audit-events.js';
import { VerifyAuditTrail } from '#application/audit/verify-audit-trail.js';
import { sealEvents } from '#domain/audit/audit-seal.js';

let trail: Trail;
beforeAll(async () => {
  trail = await openTrail();
});
afterAll(() => trail?.close());
beforeEach(() => trail.reset());

describe('sealing', () => {
  test('makes one chain without a gap when several instances seal while events are written', async () => {
    const others = await Promise.all(times(2, () => trail.start()));
    const sealers = [trail.app, ...others].map((app) => new SealAuditEvents(app.auditTrail, [SEAL_KEY]));
    let isWriting = true;
    const sealing = sealers.map(async (sealer) => {
      while (isWriting) await sealer.execute();
    });
    await Promise.all(
      times(4, async () => {
        for (let n = 0; n < 50; n += 1) await trail.record(2);
      }),
    );
    isWriting = false;
    await Promise.all(sealing);
    await trail.seal();
    expect(await trail.verify()).toMatchObject({ intact: true, sealedEvents: 400, unsealedEvents: 0 });
    expect((await trail.seals()).length).toBeGreaterThan(3);
    await Promise.all(others.map((app) => app.close()));
  });

  test('continues the chain with a new first key, and both parts verify', async () => {
    const keys = [createSecretKey(Buffer.alloc(32, 0xa1)), SEAL_KEY];
    await trail.recordNineInThreeSeals();
    const sealers = times(3, () => new SealAuditEvents(trail.app.auditTrail, keys));
    await Promise.all(sealers.map((sealer) => sealer.execute()));
    await trail.record(2);
    await expect(trail.seal()).rejects.toThrow('was not made with this AUDIT_SEAL_KEY');
    await eventually(async () => (await sealers[0]!.execute()) === 'up-to-date' && (await trail.seals()).length === 5);
    const verify = (...known: typeof keys) => new VerifyAuditTrail(trail.app.auditTrail, known).execute();
    expect(await verify(...keys)).toMatchObject({ intact: true, newest: { id: 5n }, sealedEvents: 11 });
    expect(await verify(keys[0]!)).toMatchObject({ intact: false, seal: { id: 1n } });
    await trail.tamper('UPDATE audit_events SET count = 2 WHERE id = 5');
    expect(await verify(...keys)).toMatchObject({ intact: false, seal: { id: 2n } });
  });

  test('leaves nothing behind when it is cut off before the commit, and succeeds later', async () => {
    await trail.record(3);
    const cutOff = trail.app.auditTrail.exclusively(async (transaction) => {
      const none = { eventCount: 0, eventsMac: Buffer.alloc(32) };
      await transaction.addSeal(sealEvents(SEAL_KEY, undefined, 3n, none, transaction.now));
      await trail.app.sql(
        `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND database =
           (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
    });
    await expect(cutOff).rejects.toThrow();
    expect(await trail.seals()).toEqual([]);
    await trail.seal();
    expect(await trail.verify()).toMatchObject({ intact: true, sealedEvents: 3 });
  });
});

describe('retention of sealed events', () => {
  test('deletes events once when several instances prune at once', async () => {
    for (const daysAgo of [40, 20, 0]) {
      await trail.record(3);
      await trail.inDays(-daysAgo, trail.seal);
    }
    await trail.record(2);
    const others = await Promise.all(times(3, () => trail.start()));
    const pruned = await Promise.all(
      others.map(({ auditTrail }) => new PruneAuditEvents(auditTrail, [SEAL_KEY], 10).execute()),
    );
    expect(pruned.reduce((sum, count) => sum + count)).toBe(6);
    expect(await trail.verify()).toMatchObject({ intact: true, prunedToSealId: 2n });
    await Promise.all(others.map((app) => app.close()));
  });
});

describe('audit_events', () => {
  test.each([
    [`UPDATE audit_events SET reason = 'nothing'`],
    [`UPDATE audit_events SET count = 1 WHERE false`],
    [`DELETE FROM audit_events`],
    [`TRUNCATE audit_events`],
    [`TRUNCATE audit_events CASCADE`],
    [
      `INSERT INTO audit_events (id, type) OVERRIDING SYSTEM VALUE SELECT id, 'x' FROM audit_events LIMIT 1
      ON CONFLICT (id) DO UPDATE SET type = 'x'`,
    ],
  ])('refuses %s', async (statement) => {
    const { app } = trail;
    await createKey(app, (await newOwner(app)).id);
    const all = () => app.sql(`SELECT * FROM audit_events ORDER BY id`);
    const before = await all();
    await expect(app.sql(statement)).rejects.toThrow(/audit_events is append-only: \w+ is refused/);
    expect(await all()).toEqual(before);
    expect(before.length).toBeGreaterThan(0);
  });

  test('refuses a deletion by hand, except of events that were pruned before', async () => {
    for (const daysAgo of [40, 20]) {
      await trail.record(3);
      await trail.inDays(-daysAgo, trail.seal);
    }
    expect(await new PruneAuditEvents(trail.app.auditTrail, [SEAL_KEY], 30).execute()).toBe(3);
    await trail.app.sql('DELETE FROM audit_events WHERE id < 4');
    await expect(trail.app.sql('DELETE FROM audit_events WHERE id = 4')).rejects.toThrow('append-only');
    await expect(trail.app.sql('DELETE FROM audit_events')).rejects.toThrow('append-only');
    expect(await trail.app.sql('SELECT 1 FROM audit_events')).toHaveLength(3);
  });
});

describe.each(['audit_seals', 'audit_prunings'])('%s', (table) => {
  beforeEach(async () => {
    await trail.recordNineInThreeSeals();
    await trail.app.sql(`INSERT INTO audit_prunings (id, to_event_id, pruned_at) VALUES (1, 0, now())`);
  });

  test.each([`UPDATE ${table} SET id = 9`, `DELETE FROM ${table}`, `TRUNCATE ${table}`])(
    'refuses %s',
    async (statement) => {
      await expect(trail.app.sql(statement)).rejects.toThrow(`${table} is append-only`);
    },
  );
});
