import { createSecretKey } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { SEAL_KEY, Trail } from '#test/support/application/trail.js';
import { EventsMac, sealEvents } from '#domain/audit/audit-seal.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#domain/time.js';
import { openFakes } from '#test/fakes/fake-application.js';
import { client, createKey, newOwner, themselves } from '#test/support/application/calls.js';
import { PruneAuditEvents } from './prune-audit-events.js';
import { SealAuditEvents } from './seal-audit-events.js';
import { type IntactTrail, VerifyAuditTrail } from './verify-audit-trail.js';

let trail: Trail;
beforeEach(() => {
  trail = new Trail();
});

const ids = () => trail.store.events.map(({ id }) => Number(id));
const prune = (retentionDays: number | undefined, inDays = 0) =>
  trail.inDays(inDays, () => new PruneAuditEvents(trail.trail, [SEAL_KEY], retentionDays).execute());
const pruneWithoutKey = (retentionDays: number, inDays = 0) =>
  trail.inDays(inDays, () => new PruneAuditEvents(trail.trail, [], retentionDays).execute());
const sealInDays = (days: number) => trail.inDays(days, () => new SealAuditEvents(trail.trail, [SEAL_KEY]).execute());

describe('PruneAuditEvents with sealed events', () => {
  /**
   * Nine events: three from 40 days ago, three from 20 days ago, three from today, each three under one seal. Two more
   * have no seal.
   */
  beforeEach(async () => {
    for (const daysAgo of [40, 20, 0]) {
      trail.record(3);
      await sealInDays(-daysAgo);
    }
    trail.record(2);
  });

  test('deletes nothing without a retention', async () => {
    expect(await prune(undefined, 1000)).toBe(0);
    expect(ids()).toHaveLength(11);
  });

  test('deletes older events by whole seals, and the audit trail stays intact', async () => {
    expect(await prune(30)).toBe(3);
    expect(ids()).toEqual([4, 5, 6, 7, 8, 9, 10, 11]);
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
    trail = new Trail();
    const start = trail.store.now().getTime();
    const hour = Math.ceil(start / HOUR_MS) * HOUR_MS;
    const daysUntil = (moment: number) => (moment - start) / DAY_MS;
    trail.record(3);
    await sealInDays(daysUntil(hour + 10 * MINUTE_MS));
    const pruneAt = (minutes: number) => prune(30, daysUntil(hour + 30 * DAY_MS + minutes * MINUTE_MS));
    expect([await pruneAt(5), await pruneAt(50), await pruneAt(70)]).toEqual([0, 0, 3]);
  });

  test('deletes at most ten thousand events in a transaction, by whole seals', async () => {
    trail = new Trail();
    for (const count of [6000, 4000, 1, 10_000]) {
      trail.record(count);
      await sealInDays(-40);
    }
    expect(await prune(30)).toBe(20_001);
    expect(trail.store.prunings.map(({ toSealId }) => toSealId)).toEqual([2n, 3n, 4n]);
    expect(await trail.verify()).toMatchObject({ intact: true, prunedToSealId: 4n, sealedEvents: 0 });
  });

  test('deletes a single seal with more events as a whole', async () => {
    trail = new Trail();
    trail.record(10_001);
    const mac = new EventsMac(SEAL_KEY);
    for (const event of trail.store.events) mac.add(event);
    const longAgo = new Date(trail.store.now().getTime() - 40 * DAY_MS);
    trail.store.seals = [sealEvents(SEAL_KEY, undefined, 10_001n, mac.digest(), longAgo)];
    expect(await prune(30)).toBe(10_001);
  });

  test('deletes no unsealed events', async () => {
    expect(await prune(1, 1000)).toBe(9);
    expect(ids()).toEqual([10, 11]);
    expect(await trail.verify()).toMatchObject({ intact: true, prunedToSealId: 3n, unsealedEvents: 2 });
  });

  test('keeps a range that was tampered with, and all later ones, as evidence', async () => {
    trail.deleteEvents((id) => id === 5n);
    await expect(prune(10)).rejects.toThrow('not pruned: seal 2: the number of events is 2 instead of 3');
    expect(ids()).toEqual([1, 2, 3, 4, 6, 7, 8, 9, 10, 11]);
    expect(await trail.verify()).toMatchObject({ intact: false, seal: { id: 2n } });
  });

  test.each([
    ['without a key', null, 'not pruned: seal 1: the number of events is 0 instead of 3'],
    ['with a key of their own', Buffer.alloc(32), 'pruning 1 was not recorded with AUDIT_SEAL_KEY'],
  ])('does not complete a forged pruning %s', async (_, mac, problem) => {
    trail.store.prunings = [{ id: 1n, toEventId: 3n, toSealId: 1n, prunedAt: trail.store.now(), mac }];
    trail.deleteEvents((id) => id < 4n);
    await expect(prune(10)).rejects.toThrow(problem);
    expect(await trail.verify()).toMatchObject({ intact: false });
  });

  test('deletes nothing without the key of the seals', async () => {
    expect(await pruneWithoutKey(1, 1000)).toBe(0);
    expect(ids()).toHaveLength(11);
  });

  test.each<[string, () => void, object]>([
    ['an event put back', () => trail.store.addEvents({ ...trail.store.events[0]!, id: 2n }), { seal: { id: 1n } }],
    ['a seal deleted', () => trail.deleteSeal(1n), { problem: 'seal 1 is missing' }],
    ['all seals deleted', () => void (trail.store.seals = []), { problem: 'seal 1 is missing: seal 1 was pruned' }],
    [
      'a deleted pruning',
      () => void (trail.store.prunings = []),
      { problem: 'the number of events is 0 instead of 3' },
    ],
    [
      'an extended pruning',
      () => {
        trail.store.prunings = trail.store.prunings.map((pruning) => ({ ...pruning, toSealId: 2n }));
        trail.deleteEvents((id) => id < 7n);
      },
      { problem: 'pruning 1 was changed or was not recorded with this AUDIT_SEAL_KEY' },
    ],
    [
      'a forged pruning',
      () => {
        const madeUp = { id: 2n, toEventId: 6n, toSealId: 2n, prunedAt: trail.store.now(), mac: null };
        trail.store.prunings = [...trail.store.prunings, madeUp];
        trail.deleteEvents((id) => id < 7n);
      },
      { problem: 'the number of events is 0 instead of 3', seal: { id: 2n } },
    ],
  ])('leaves an audit trail in which verification finds %s', async (_, tamper, broken) => {
    await prune(30);
    tamper();
    expect(await trail.verify()).toMatchObject({ intact: false, ...broken });
  });

  test('continues under a new key after events that the old one sealed and pruned', async () => {
    await prune(30);
    const keys = [createSecretKey(Buffer.alloc(32, 0xa1)), SEAL_KEY];
    await new SealAuditEvents(trail.trail, keys).execute();
    const pruned = () => new PruneAuditEvents(trail.trail, keys, 10).execute();
    expect([await pruned(), await pruned()]).toEqual([3, 0]);
    const verified = await new VerifyAuditTrail(trail.trail, keys).execute();
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
    for (const daysAgo of [40, 20, 0]) await trail.inDays(-daysAgo, async () => trail.record(3));
  });

  test('deletes them by their age', async () => {
    expect(await pruneWithoutKey(30)).toBe(3);
    expect(await pruneWithoutKey(30)).toBe(0);
    expect(ids()).toEqual([4, 5, 6, 7, 8, 9]);
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

describe('ListAuditEvents', () => {
  const app = openFakes();

  test('returns the events of the owner, newest first, with actor and client', async () => {
    const [{ id, displayName }, someoneElse] = [await newOwner(app), await newOwner(app)];
    const { key, fullKey } = await createKey(app, id);
    await createKey(app, someoneElse.id);
    const from = client('198.51.100.7');
    await app.changeKeysOfOwner.revoke(themselves(id), key.id, from);
    await app.validateKey.execute({
      credential: fullKey,
      question: { operation: 'read', permission: '' },
      client: from,
    });
    const { items, nextCursor } = await app.listAuditEvents.execute(themselves(id), {}, { limit: 50 });
    const actor = { id, displayName };
    const facts = {
      keyId: key.id,
      count: 1,
      clientIp: '198.51.100.7',
      userAgent: 'curl/8',
      requestId: from.requestId,
      leak: null,
      previousName: null,
      note: null,
    };
    expect(items).toEqual([
      {
        ...facts,
        id: expect.any(String),
        at: expect.any(Date),
        type: 'authentication.failed',
        reason: 'revoked',
        actor: null,
      },
      { ...facts, id: expect.any(String), at: expect.any(Date), type: 'api_key.revoked', reason: 'owner', actor },
      expect.objectContaining({ type: 'api_key.created', keyId: key.id, clientIp: '192.0.2.1' }),
    ]);
    expect(nextCursor).toBeNull();
  });

  test('filters by type', async () => {
    const { id } = await newOwner(app);
    const { key, fullKey } = await createKey(app, id);
    await app.changeKeysOfOwner.revoke(themselves(id), key.id, client());
    await app.validateKey.execute({
      credential: fullKey,
      question: { operation: 'read', permission: '' },
      client: client(),
    });
    const { items } = await app.listAuditEvents.execute(
      themselves(id),
      { types: ['api_key.created', 'authentication.failed'] },
      { limit: 50 },
    );
    expect(items.map(({ type }) => type)).toEqual(['authentication.failed', 'api_key.created']);
  });

  test('returns each event once, page by page', async () => {
    const { id } = await newOwner(app);
    for (let made = 0; made < 5; made += 1) await createKey(app, id);
    const first = await app.listAuditEvents.execute(themselves(id), {}, { limit: 3 });
    const second = await app.listAuditEvents.execute(themselves(id), {}, { limit: 3, cursor: first.nextCursor! });
    const ids = [...first.items, ...second.items].map((event) => BigInt(event.id));
    expect(ids).toHaveLength(5);
    expect(ids).toEqual([...ids].sort((a, b) => (a < b ? 1 : -1)));
    expect(second.nextCursor).toBeNull();
  });

  test.each(['', 'x', Buffer.from('["1; DROP TABLE accounts"]').toString('base64url')])(
    'refuses the cursor %j',
    async (cursor) => {
      const { id } = await newOwner(app);
      await expect(app.listAuditEvents.execute(themselves(id), {}, { limit: 5, cursor })).rejects.toMatchObject({
        code: 'invalid_fields',
      });
    },
  );
});
