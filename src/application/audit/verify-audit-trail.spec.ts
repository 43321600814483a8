import { createSecretKey } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { SEAL_KEY, Trail } from '#test/support/application/trail.js';
import { recordPruning, sealEvents } from '#domain/audit/audit-seal.js';
import { type FakeApplication, openFakes } from '#test/fakes/fake-application.js';
import { client, createKey, newOwner, themselves } from '#test/support/application/calls.js';
import { DAY_MS, MINUTE_MS } from '#domain/time.js';
import { SealAuditEvents } from './seal-audit-events.js';
import { type IntactTrail, VerifyAuditTrail } from './verify-audit-trail.js';
import { PruneAuditEvents } from './prune-audit-events.js';

const NOW = new Date('2026-11-20T12:00:00.000Z');

let trail: Trail;
beforeEach(() => {
  trail = new Trail();
});

const changed = 'the seal itself was changed, or AUDIT_SEAL_KEY does not hold the key it was made with';
const putCopyOfEvent = (newId: bigint) => {
  const event = trail.store.events.find(({ id }) => id === 5n)!;
  trail.store.addEvents({ ...event, id: newId });
};
const changeSeal = (id: bigint, part: object) => {
  trail.store.seals = trail.store.seals.map((seal) => (seal.id === id ? { ...seal, ...part } : seal));
};

describe('An untouched audit trail', () => {
  test('is intact while it is empty', async () => {
    expect(await trail.verify()).toMatchObject({ intact: true, newest: undefined, sealedEvents: 0, unsealedEvents: 0 });
  });

  test('is intact, with a count of the unsealed events', async () => {
    await trail.recordNineInThreeSeals();
    trail.record(2);
    expect(await trail.verify()).toMatchObject({
      intact: true,
      newest: { id: 3n, toEventId: 9n },
      sealedEvents: 9,
      unsealedEvents: 2,
      oldestUnsealedAt: expect.any(Date),
    });
  });

  test('does not verify with another key', async () => {
    await trail.recordNineInThreeSeals();
    const other = new VerifyAuditTrail(trail.trail, [createSecretKey(Buffer.alloc(32))]);
    expect(await other.execute()).toMatchObject({ intact: false, seal: { id: 1n }, problem: changed });
  });
});

describe('An audit trail with a replaced key', () => {
  const NEW_KEY = createSecretKey(Buffer.alloc(32, 0xa1));
  const verify = (...keys: (typeof NEW_KEY)[]) => new VerifyAuditTrail(trail.trail, keys).execute();
  const unfinished = { intact: false, problem: expect.stringMatching(/^no seal was made with the newest key: /) };

  beforeEach(async () => {
    await trail.recordNineInThreeSeals();
    await new SealAuditEvents(trail.trail, [NEW_KEY, SEAL_KEY]).execute();
  });

  test('verifies with both keys, but not with one of them', async () => {
    expect(await verify(NEW_KEY, SEAL_KEY)).toMatchObject({ intact: true, newest: { id: 4n }, sealedEvents: 9 });
    expect(await verify(NEW_KEY)).toMatchObject({ intact: false, problem: changed, seal: { id: 1n } });
    expect(await verify(SEAL_KEY)).toMatchObject({ intact: false, problem: changed, seal: { id: 4n } });
  });

  test('shows when a holder of the old key has replaced seals', async () => {
    trail.deleteSeal(4n);
    expect(await verify(NEW_KEY, SEAL_KEY)).toMatchObject({ ...unfinished, seal: { id: 3n } });
    trail.record(1);
    await trail.seal();
    expect(await verify(NEW_KEY, SEAL_KEY)).toMatchObject({ ...unfinished, seal: { id: 4n } });
  });

  test('shows a seal of the old key after one of the new key', async () => {
    trail.record(1);
    const next = sealEvents(
      SEAL_KEY,
      trail.store.seals.at(-1),
      10n,
      { eventCount: 1, eventsMac: Buffer.alloc(32) },
      NOW,
    );
    trail.store.seals = [...trail.store.seals, next];
    const problem = 'the seal was made with an older key than the seal before it';
    expect(await verify(NEW_KEY, SEAL_KEY)).toMatchObject({ intact: false, problem, seal: { id: 5n } });
  });

  test('shows when a holder of the old key has deleted events that the new key sealed, as if by retention', async () => {
    trail.record(1);
    await new SealAuditEvents(trail.trail, [NEW_KEY, SEAL_KEY]).execute();
    const newest = trail.store.seals.at(-1)!;
    trail.store.prunings = [recordPruning(SEAL_KEY, 0n, newest, NOW)];
    trail.deleteEvents(() => true);
    const problem = 'pruning 1 was recorded with an older key than this seal';
    expect(await verify(NEW_KEY, SEAL_KEY)).toMatchObject({ intact: false, problem, seal: { id: newest.id } });
  });
});

describe('A changed audit trail', () => {
  beforeEach(() => trail.recordNineInThreeSeals());

  test.each<[string, () => void, bigint, string]>([
    ['an event changed', () => trail.change(5n, { reason: 'expired' }), 2n, 'the events differ from the sealed ones'],
    [
      'its time set to nonsense',
      () => trail.change(5n, { at: new Date(Number.NaN) }),
      2n,
      'the events differ from the sealed ones',
    ],
    ['an event deleted', () => trail.deleteEvents((id) => id === 4n), 2n, 'the number of events is 2 instead of 3'],
    [
      'two events swapped',
      () => {
        trail.change(7n, { ownerId: 'owner-8' });
        trail.change(8n, { ownerId: 'owner-7' });
      },
      3n,
      'the events differ from the sealed ones',
    ],
    ['an event put before all', () => putCopyOfEvent(-4n), 1n, 'the number of events is 4 instead of 3'],
    ['a seal deleted', () => trail.deleteSeal(2n), 3n, 'seal 2 is missing'],
    ['the first seal deleted', () => trail.deleteSeal(1n), 2n, 'seal 1 is missing'],
    ['a seal changed', () => changeSeal(2n, { eventCount: 2 }), 2n, changed],
    [
      'a seal and its events taken out, the ids closed up',
      () => {
        trail.deleteSeal(2n);
        changeSeal(3n, { id: 2n });
        trail.deleteEvents((id) => id >= 4n && id <= 6n);
      },
      2n,
      changed,
    ],
  ])('shows the first broken link: %s', async (_, tamper, sealId, problem) => {
    tamper();
    expect(await trail.verify()).toMatchObject({ intact: false, problem, seal: { id: sealId } });
  });

  test('shows an event that was added in a gap of a sealed range', async () => {
    // The transaction of this event did not commit.
    trail.store.newEvent({ type: 'undone' });
    trail.record(1);
    await trail.seal();
    expect(await trail.verify()).toMatchObject({ intact: true, newest: { fromEventId: 10n, toEventId: 11n } });
    putCopyOfEvent(10n);
    expect(await trail.verify()).toMatchObject({
      seal: { id: 4n, fromEventId: 10n, toEventId: 11n },
      problem: 'the number of events is 2 instead of 1',
    });
  });

  test('shows deleted events under all seals, and deleted seals of all events', async () => {
    trail.store.seals = [];
    trail.record(1);
    expect(await trail.verify()).toMatchObject({ intact: true, newest: undefined, unsealedEvents: 10 });
    await trail.seal();
    trail.store.events = [];
    expect(await trail.verify()).toMatchObject({
      seal: { id: 1n },
      problem: 'the number of events is 0 instead of 10',
    });
  });

  test('shows deleted newest seals and events only with an exported seal', async () => {
    const { newest } = (await trail.verify()) as IntactTrail;
    trail.deleteSeal(3n);
    trail.deleteEvents((id) => id > 6n);
    expect(await trail.verify()).toMatchObject({ intact: true, newest: { id: 2n } });
    const missing = 'seal 3 is missing: seal 3 was exported';
    expect(await trail.verify(newest)).toEqual({ intact: false, problem: missing, seal: undefined });
    trail.record(3);
    await trail.seal();
    expect(await trail.verify()).toMatchObject({ intact: true, newest: { id: 3n } });
    const problem = 'the seal is not the one exported';
    expect(await trail.verify(newest)).toMatchObject({ intact: false, problem, seal: { id: 3n } });
  });

  test('matches a seal that was exported earlier', async () => {
    const { newest } = (await trail.verify()) as IntactTrail;
    trail.record(1);
    await trail.seal();
    expect(await trail.verify(newest)).toMatchObject({ intact: true, newest: { id: 4n } });
  });
});

describe('The comparison with the audit trail', () => {
  let app: FakeApplication;
  beforeEach(() => {
    app = openFakes();
  });

  const seal = () => new SealAuditEvents(app.auditTrail, [SEAL_KEY]).execute();
  const verify = () => new VerifyAuditTrail(app.auditTrail, [SEAL_KEY]).execute();
  const changeKey = (id: string, part: object) => {
    const stored = app.store.keys.get(id)!;
    app.store.keys.set(id, { ...stored, state: { ...stored.state, ...part } });
  };
  /** Inserts a key that the service did not create. */
  const insertKey = (like: string, id: string, part: object = {}) => {
    const stored = app.store.keys.get(like)!;
    app.store.keys.set(id, { ...stored, state: { ...stored.state, id, ...part } });
  };

  describe('Keys and accounts with an intact audit trail', () => {
    test('match it through every change', async () => {
      const [one, other] = [await newOwner(app), await newOwner(app)];
      const { key } = await createKey(app, one.id);
      await createKey(app, other.id);
      await app.changeKeysOfOwner.revoke(themselves(one.id), key.id, client());
      await app.changeAccount.suspend(one.id);
      await app.changeAccount.purge(other.id, undefined, { actorId: 'admin:ada', client: client() });
      await seal();
      const [keys, accounts] = [
        { count: 2, takenAsFound: 0 },
        { count: 2, takenAsFound: 0 },
      ];
      expect(await verify()).toMatchObject({
        intact: true,
        comparison: { keys, accounts, differences: [], moreDifferences: 0 },
      });
    });

    test('are listed when they differ, and only then, with and without seals', async () => {
      const { id } = await newOwner(app);
      const [kept, revoked] = [(await createKey(app, id)).key, (await createKey(app, id)).key];
      await app.changeKeysOfOwner.revoke(themselves(id), revoked.id, client());
      insertKey(kept.id, 'slipped-in');
      changeKey(revoked.id, { revokedAt: null });
      app.store.accounts.set(id, { ...app.store.accounts.get(id)!, permissions: ['all:write'] });
      const found = await verify();
      expect(found).toMatchObject({
        intact: false,
        seal: undefined,
        problem: expect.stringMatching(/^4 differences /),
      });
      expect(found.comparison!.differences.map((each) => [each.subject, each.id])).toEqual(
        expect.arrayContaining([
          ['key', 'slipped-in'],
          ['key', revoked.id],
          ['account', id],
        ]),
      );
      expect(found.comparison!.differences.some((each) => each.id === kept.id)).toBe(false);
    });

    test('are listed up to a hundred, and counted beyond', async () => {
      const { id } = await newOwner(app);
      const { key } = await createKey(app, id);
      for (let n = 0; n < 103; n += 1) insertKey(key.id, `k${n}`);
      const { comparison, problem } = (await verify()) as { comparison: object; problem: string };
      expect(comparison).toMatchObject({ moreDifferences: 3, keys: { count: 104, takenAsFound: 103 } });
      expect(problem).toMatch(/^103 differences /);
      expect((comparison as { differences: unknown[] }).differences).toHaveLength(100);
    });

    test('are not compared with a broken audit trail', async () => {
      const { id } = await newOwner(app);
      await createKey(app, id);
      await seal();
      app.store.events = app.store.events.slice(1);
      expect(await verify()).toEqual({ intact: false, problem: expect.any(String), seal: expect.anything() });
    });
  });

  describe('Keys and accounts with pruned events', () => {
    test('are accepted and counted, unless they are newer than the pruning', async () => {
      const { id } = await newOwner(app);
      const { key } = await createKey(app, id, { expiresInDays: 365 });
      await seal();
      app.store.pass(40 * DAY_MS);
      await newOwner(app);
      await seal();
      await new PruneAuditEvents(app.auditTrail, [SEAL_KEY], 30).execute();
      expect(await verify()).toMatchObject({
        intact: true,
        comparison: { keys: { count: 1, takenAsFound: 1 }, accounts: { count: 2, takenAsFound: 1 } },
      });
      const { createdAt } = key.snapshot();
      insertKey(key.id, 'in time', { createdAt: new Date(createdAt.valueOf() + MINUTE_MS) });
      expect((await verify()).intact).toBe(true);
      insertKey(key.id, 'too late', { createdAt: new Date(createdAt.valueOf() + MINUTE_MS + 1) });
      expect((await verify()).comparison!.differences).toMatchObject([{ id: 'too late' }]);
    });

    test('are accepted only up to the first seal when the events were not sealed', async () => {
      const { id } = await newOwner(app);
      const { key } = await createKey(app, id, { expiresInDays: 365 });
      app.store.pass(40 * DAY_MS);
      await new PruneAuditEvents(app.auditTrail, [], 30).execute();
      expect(await verify()).toMatchObject({ intact: true, comparison: { keys: { count: 1, takenAsFound: 1 } } });
      await newOwner(app);
      await seal();
      expect(await verify()).toMatchObject({ intact: true });
      // A forged pruning explains no missing events from after the first seal.
      app.store.pass(DAY_MS);
      const madeUp = { id: 9n, toSealId: null, toEventId: 0n, prunedAt: app.store.now(), mac: null };
      app.store.prunings = [...app.store.prunings, madeUp];
      insertKey(key.id, 'too late', { createdAt: app.store.now() });
      expect((await verify()).comparison!.differences).toContainEqual(
        expect.objectContaining({ id: 'too late', problem: 'has no event that created it' }),
      );
    });
  });
});
