import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createKey, newOwner } from '#test/support/application/calls.js';
import { openTrail, SEAL_KEY, type Trail } from '#test/support/stores/audit-trail.js';
import { PruneAuditEvents } from '#application/audit/prune-audit-events.js';
import { SealAuditEvents } from '#application/audit/seal-audit-events.js';

let trail: Trail;
beforeAll(async () => {
  trail = await openTrail();
});
afterAll(() => trail?.close());
beforeEach(() => trail.reset());

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
      await new SealAuditEvents(trail.inDays(-daysAgo), [SEAL_KEY]).execute();
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
