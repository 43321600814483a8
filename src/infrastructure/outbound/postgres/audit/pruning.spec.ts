import { createSecretKey } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openTrail, SEAL_KEY, type Trail } from '#test/support/stores/audit-trail.js';
import { PruneAuditEvents } from '#application/audit/prune-audit-events.js';
import { SealAuditEvents } from '#application/audit/seal-audit-events.js';
import { type IntactTrail, VerifyAuditTrail } from '#application/audit/verify-audit-trail.js';
import { EventsMac, sealEvents } from '#domain/audit/audit-seal.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#domain/time.js';

let trail: Trail;
beforeAll(async () => {
  trail = await openTrail();
});
afterAll(() => trail?.close());
beforeEach(() => trail.reset());

const START = Date.parse('2026-03-29T00:30:00Z');
const prune = (retentionDays: number | undefined, inDays = 0, keys = [SEAL_KEY]) =>
  trail.inDays(inDays, () => new PruneAuditEvents(trail.app.auditTrail, keys, retentionDays).execute());
const pruneWithoutKey = (retentionDays: number, inDays = 0) => prune(retentionDays, inDays, []);
const sealInDays = (days: number) => trail.inDays(days, trail.seal);
const forgedPruning = (id: number, toEventId: number, toSealId: number, mac = 'NULL') =>
  `INSERT INTO audit_prunings (id, to_event_id, to_seal_id, pruned_at, mac)
   VALUES (${id}, ${toEventId}, ${toSealId}, now(), ${mac})`;

describe('PruneAuditEvents with sealed events', () => {
  /**
   * Nine events: three from 40 days ago, three from 20 days ago, three from today, each three under one seal. Two more
   * have no seal.
   */
  beforeEach(async () => {
    for (const daysAgo of [40, 20, 0]) {
      await trail.record(3);
      await sealInDays(-daysAgo);
    }
    await trail.record(2);
  });

  test('deletes nothing without a retention', async () => {
    expect(await prune(undefined, 1000)).toBe(0);
    expect(await trail.ids()).toHaveLength(11);
  });

  test('deletes older events by whole seals, and the audit trail stays intact', async () => {
    expect(await prune(30)).toBe(3);
    expect(await trail.ids()).toEqual([4, 5, 6, 7, 8, 9, 10, 11]);
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

  test('prunes by whole hours, so that there is at most one pruning an hour', async () => {
    await trail.reset();
    const hour = Math.ceil(START / HOUR_MS) * HOUR_MS;
    const daysUntil = (moment: number) => (moment - START) / DAY_MS;
    await trail.record(3);
    await sealInDays(daysUntil(hour + 10 * MINUTE_MS));
    const pruneAt = (minutes: number) => prune(30, daysUntil(hour + 30 * DAY_MS + minutes * MINUTE_MS));
    expect([await pruneAt(5), await pruneAt(50), await pruneAt(70)]).toEqual([0, 0, 3]);
  });

  test('deletes at most ten thousand events in a transaction, by whole seals', async () => {
    await trail.reset();
    for (const count of [6000, 4000, 1, 10_000]) {
      await trail.record(count);
      await sealInDays(-40);
    }
    expect(await prune(30)).toBe(20_001);
    const prunings = await trail.app.sql('SELECT to_seal_id FROM audit_prunings ORDER BY id');
    expect(prunings.map((row) => row['to_seal_id'])).toEqual(['2', '3', '4']);
    expect(await trail.verify()).toMatchObject({ intact: true, prunedToSealId: 4n, sealedEvents: 0 });
  });

  test('deletes a single seal with more events as a whole', async () => {
    await trail.reset();
    await trail.record(10_001);
    const mac = new EventsMac(SEAL_KEY);
    for await (const event of trail.app.auditTrail.events({})) mac.add(event);
    const longAgo = new Date(START - 40 * DAY_MS);
    await trail.addSeal(sealEvents(SEAL_KEY, undefined, 10_001n, mac.digest(), longAgo));
    expect(await prune(30)).toBe(10_001);
  });

  test('deletes no unsealed events', async () => {
    expect(await prune(1, 1000)).toBe(9);
    expect(await trail.ids()).toEqual([10, 11]);
    expect(await trail.verify()).toMatchObject({ intact: true, prunedToSealId: 3n, unsealedEvents: 2 });
  });

  test('keeps a range that was tampered with, and all later ones, as evidence', async () => {
    await trail.tamper('DELETE FROM audit_events WHERE id = 5');
    await expect(prune(10)).rejects.toThrow('not pruned: seal 2: the number of events is 2 instead of 3');
    expect(await trail.ids()).toEqual([1, 2, 3, 4, 6, 7, 8, 9, 10, 11]);
    expect(await trail.verify()).toMatchObject({ intact: false, seal: { id: 2n } });
  });

  test.each([
    ['without a key', 'NULL', 'not pruned: seal 1: the number of events is 0 instead of 3'],
    ['with a key of their own', "'\\x00'", 'pruning 1 was not recorded with AUDIT_SEAL_KEY'],
  ])('does not complete a forged pruning %s', async (_, mac, problem) => {
    await trail.tamper(forgedPruning(1, 3, 1, mac), 'DELETE FROM audit_events WHERE id < 4');
    await expect(prune(10)).rejects.toThrow(problem);
    expect(await trail.verify()).toMatchObject({ intact: false });
  });

  test('deletes nothing without the key of the seals', async () => {
    expect(await pruneWithoutKey(1, 1000)).toBe(0);
    expect(await trail.ids()).toHaveLength(11);
  });

  test.each<[string, string[], object]>([
    [
      'an event put back',
      [
        `INSERT INTO audit_events OVERRIDING SYSTEM VALUE
          SELECT (jsonb_populate_record(e, '{"id": 2}')).* FROM audit_events e WHERE id = 4`,
      ],
      { seal: { id: 1n } },
    ],
    ['a seal deleted', ['DELETE FROM audit_seals WHERE id = 1'], { problem: 'seal 1 is missing' }],
    ['all seals deleted', ['DELETE FROM audit_seals'], { problem: 'seal 1 is missing: seal 1 was pruned' }],
    ['a deleted pruning', ['DELETE FROM audit_prunings'], { problem: 'the number of events is 0 instead of 3' }],
    [
      'an extended pruning',
      ['UPDATE audit_prunings SET to_seal_id = 2', 'DELETE FROM audit_events WHERE id < 7'],
      { problem: 'pruning 1 was changed or was not recorded with this AUDIT_SEAL_KEY' },
    ],
    [
      'a forged pruning',
      [forgedPruning(2, 6, 2), 'DELETE FROM audit_events WHERE id < 7'],
      { problem: 'the number of events is 0 instead of 3', seal: { id: 2n } },
    ],
  ])('leaves an audit trail in which verification finds %s', async (_, statements, broken) => {
    await prune(30);
    await trail.tamper(...statements);
    expect(await trail.verify()).toMatchObject({ intact: false, ...broken });
  });

  test('continues under a new key after events that the old one sealed and pruned', async () => {
    await prune(30);
    const keys = [createSecretKey(Buffer.alloc(32, 0xa1)), SEAL_KEY];
    await new SealAuditEvents(trail.app.auditTrail, keys).execute();
    expect([await prune(10, 0, keys), await prune(10, 0, keys)]).toEqual([3, 0]);
    const verified = await new VerifyAuditTrail(trail.app.auditTrail, keys).execute();
    expect(verified).toMatchObject({ intact: true, prunedToSealId: 2n, sealedEvents: 3, unsealedEvents: 2 });
  });

  test('keeps an earlier exported seal valid', async () => {
    const { newest } = (await trail.verify()) as IntactTrail;
    await prune(10);
    expect(await trail.verify(newest)).toMatchObject({ intact: true, prunedToSealId: 2n });
  });
});

describe('PruneAuditEvents with events that were never sealed', () => {
  beforeEach(async () => {
    for (const daysAgo of [40, 20, 0]) await trail.inDays(-daysAgo, () => trail.record(3));
  });

  test('deletes them by their age', async () => {
    expect(await pruneWithoutKey(30)).toBe(3);
    expect(await pruneWithoutKey(30)).toBe(0);
    expect(await trail.ids()).toEqual([4, 5, 6, 7, 8, 9]);
    expect(await pruneWithoutKey(1, 1000)).toBe(6);
  });

  test('leaves an audit trail that can be sealed from then on', async () => {
    await pruneWithoutKey(30);
    await trail.seal();
    expect(await trail.verify()).toMatchObject({ intact: true, prunedToSealId: 0n, sealedEvents: 6 });
    expect(await prune(30, 31)).toBe(6);
    expect(await trail.verify()).toMatchObject({ intact: true, prunedToSealId: 1n, sealedEvents: 0 });
  });
});
