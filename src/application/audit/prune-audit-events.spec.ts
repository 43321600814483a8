import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openApplication, times } from '../../../test/support/application.js';
import { openTrail, SEAL_KEY, type Trail } from '../../../test/support/audit-trail.js';
import { EventsMac, sealEvents } from '../../domain/audit/audit-seal.js';
import { PruneAuditEvents } from './prune-audit-events.js';
import { SealAuditEvents } from './seal-audit-events.js';
import type { IntactTrail } from './verify-audit-trail.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

let trail: Trail;
beforeAll(async () => {
  trail = await openTrail();
});
afterAll(() => trail.close());
beforeEach(() => trail.reset());

const ids = async () => {
  const rows = await trail.app.sql<{ id: string }>('SELECT id FROM audit_events ORDER BY id');
  return rows.map(({ id }) => Number(id));
};
const prune = (retentionDays: number | undefined, inDays = 0) =>
  new PruneAuditEvents(trail.inDays(inDays), SEAL_KEY, retentionDays).execute();
const pruneWithoutKey = (retentionDays: number, inDays = 0) =>
  new PruneAuditEvents(trail.inDays(inDays), undefined, retentionDays).execute();

describe('retention of sealed events', () => {
  /** Three events each of 40 and of 20 days ago and of today, each in a seal; two are not sealed yet. */
  beforeEach(async () => {
    for (const daysAgo of [40, 20, 0]) {
      await trail.record(3);
      await new SealAuditEvents(trail.inDays(-daysAgo), SEAL_KEY).execute();
    }
    await trail.record(2);
  });

  test('keeps everything unless it is told how long', async () => {
    expect(await prune(undefined, 1000)).toBe(0);
    expect(await ids()).toHaveLength(11);
  });

  test('deletes whole seals that are older, and the record still verifies', async () => {
    expect(await prune(30)).toBe(3);
    expect(await ids()).toEqual([4, 5, 6, 7, 8, 9, 10, 11]);
    expect(await trail.verify()).toMatchObject({
      intact: true,
      prunedToSealId: 1n,
      sealedEvents: 6,
      unsealedEvents: 2,
    });
    expect(await prune(30)).toBe(0);
    expect(await prune(30, 11)).toBe(3);
    await trail.seal();
    expect(await trail.verify()).toMatchObject({
      intact: true,
      prunedToSealId: 2n,
      newest: { id: 4n },
      sealedEvents: 5,
    });
  });

  test('goes by whole hours, so that there is one pruning an hour at most', async () => {
    await trail.reset();
    const hour = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS;
    const daysUntil = (moment: number) => (moment - Date.now()) / DAY_MS;
    await trail.record(3);
    await new SealAuditEvents(trail.inDays(daysUntil(hour + 10 * MINUTE_MS)), SEAL_KEY).execute();
    const pruneAt = (minutes: number) => prune(30, daysUntil(hour + 30 * DAY_MS + minutes * MINUTE_MS));
    expect([await pruneAt(5), await pruneAt(50), await pruneAt(70)]).toEqual([0, 0, 3]);
  });

  test('takes at most ten thousand at a time, by whole seals', async () => {
    await trail.reset();
    const sealer = new SealAuditEvents(trail.inDays(-40), SEAL_KEY);
    for (const count of [6000, 4000, 1, 10_000]) {
      await trail.record(count);
      await sealer.execute();
    }
    expect(await prune(30)).toBe(20_001);
    const prunings = await trail.app.sql('SELECT to_seal_id::int AS "toSeal" FROM audit_prunings ORDER BY id');
    expect(prunings).toEqual([{ toSeal: 2 }, { toSeal: 3 }, { toSeal: 4 }]);
    expect(await trail.verify()).toMatchObject({ intact: true, prunedToSealId: 4n, sealedEvents: 0 });
  });

  test('takes a seal that covers more than that as a whole, rather than never', async () => {
    await trail.reset();
    await trail.record(10_001);
    await trail.inDays(-40).exclusively(async (transaction) => {
      const mac = new EventsMac(SEAL_KEY);
      for await (const event of transaction.events(1n)) mac.add(event);
      await transaction.addSeal(sealEvents(SEAL_KEY, undefined, 10_001n, mac.digest(), transaction.now));
    });
    expect(await prune(30)).toBe(10_001);
  });

  test('never deletes what is not sealed yet', async () => {
    expect(await prune(1, 1000)).toBe(9);
    expect(await ids()).toEqual([10, 11]);
    expect(await trail.verify()).toMatchObject({ intact: true, prunedToSealId: 3n, unsealedEvents: 2 });
  });

  test('by several instances at once is done once', async () => {
    const others = await Promise.all(times(3, () => openApplication(trail.url)));
    const pruned = await Promise.all(
      others.map(({ auditTrail: of }) => new PruneAuditEvents(of, SEAL_KEY, 10).execute()),
    );
    expect(pruned.reduce((sum, count) => sum + count)).toBe(6);
    expect(await trail.verify()).toMatchObject({ intact: true, prunedToSealId: 2n });
    await Promise.all(others.map((app) => app.close()));
  });

  test('keeps a range that someone has tampered with, and what follows: it is evidence', async () => {
    await trail.tamper('DELETE FROM audit_events WHERE id = 5');
    await expect(prune(10)).rejects.toThrow('not pruned: seal 2: 3 events were sealed and 2 are there');
    expect(await ids()).toEqual([1, 2, 3, 4, 6, 7, 8, 9, 10, 11]);
    expect(await trail.verify()).toMatchObject({ intact: false, seal: { id: 2n } });
  });

  test.each([
    ['without a key', 'NULL', 'not pruned: seal 1: 3 events were sealed and 0 are there'],
    ['with a key of their own', `'\\x${'00'.repeat(32)}'`, 'pruning 1 was not recorded with AUDIT_SEAL_KEY'],
  ])('completes no pruning that someone made up %s', async (_, mac, problem) => {
    await trail.app.sql(
      `INSERT INTO audit_prunings (id, to_event_id, to_seal_id, pruned_at, mac) VALUES (1, 3, 1, now(), ${mac})`,
    );
    await trail.app.sql('DELETE FROM audit_events WHERE id < 4');
    await expect(prune(10)).rejects.toThrow(problem);
    expect(await trail.verify()).toMatchObject({ intact: false });
  });

  test('does nothing without the key that the events were sealed with', async () => {
    expect(await pruneWithoutKey(1, 1000)).toBe(0);
    expect(await ids()).toHaveLength(11);
  });

  test.each<[string, string, object]>([
    [
      'an event put back',
      `INSERT INTO audit_events (id, type) OVERRIDING SYSTEM VALUE VALUES (2, 'x')`,
      { seal: { id: 1n } },
    ],
    ['a seal deleted', 'DELETE FROM audit_seals WHERE id = 1', { problem: 'seal 1 is missing' }],
    ['all seals deleted', 'DELETE FROM audit_seals', { problem: 'seal 1 is missing: seal 1 was pruned' }],
    ['the pruning deleted', 'DELETE FROM audit_prunings', { problem: '3 events were sealed and 0 are there' }],
    [
      'the pruning stretched',
      'UPDATE audit_prunings SET to_seal_id = 2; DELETE FROM audit_events WHERE id < 7',
      { problem: 'pruning 1 was changed or was not recorded with this AUDIT_SEAL_KEY' },
    ],
    [
      'a pruning made up',
      `INSERT INTO audit_prunings (id, to_event_id, to_seal_id, pruned_at) VALUES (2, 6, 2, now());
       DELETE FROM audit_events WHERE id < 7`,
      { problem: '3 events were sealed and 0 are there', seal: { id: 2n } },
    ],
  ])('leaves a trail in which shows: %s', async (_, statement, broken) => {
    await prune(30);
    await trail.tamper(statement);
    expect(await trail.verify()).toMatchObject({ intact: false, ...broken });
  });

  test('an exported seal from before still holds', async () => {
    const { newest } = (await trail.verify()) as IntactTrail;
    await prune(10);
    expect(await trail.verify(newest)).toMatchObject({ intact: true, prunedToSealId: 2n });
  });

  test('deletion by hand is refused, but for what is gone already', async () => {
    await prune(30);
    await expect(trail.app.sql('DELETE FROM audit_events WHERE id = 4')).rejects.toThrow('append-only');
    await expect(trail.app.sql('DELETE FROM audit_events')).rejects.toThrow('append-only');
    expect(await ids()).toHaveLength(8);
  });
});

describe('retention of events that were never sealed', () => {
  beforeEach(async () => {
    for (const daysAgo of [40, 20, 0]) {
      await trail.app.sql(
        `INSERT INTO audit_events (type, at) SELECT 'x', now() - make_interval(days => $1) FROM generate_series(1, 3)`,
        [daysAgo],
      );
    }
  });

  test('goes by their age', async () => {
    expect(await pruneWithoutKey(30)).toBe(3);
    expect(await pruneWithoutKey(30)).toBe(0);
    expect(await ids()).toEqual([4, 5, 6, 7, 8, 9]);
    expect(await pruneWithoutKey(1, 1000)).toBe(6);
  });

  test('leaves a record that can be sealed from then on', async () => {
    await pruneWithoutKey(30);
    await trail.seal();
    expect(await trail.verify()).toMatchObject({ intact: true, prunedToSealId: 0n, sealedEvents: 6 });
    expect(await prune(30, 31)).toBe(6);
    expect(await trail.verify()).toMatchObject({ intact: true, prunedToSealId: 1n, sealedEvents: 0 });
  });
});
