import { beforeEach, describe, expect, test } from '@jest/globals';
import { openFakes, type FakeApplication } from '#test/fakes/fake-application.js';
import { SEAL_KEY } from '#test/support/application/trail.js';
import { client, createKey, newOwner, themselves } from '#test/support/application/calls.js';
import { DAY_MS, MINUTE_MS } from '#domain/time.js';
import { PruneAuditEvents } from './prune-audit-events.js';
import { SealAuditEvents } from './seal-audit-events.js';
import { VerifyAuditTrail } from './verify-audit-trail.js';

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
    await app.revokeApiKey.execute(themselves(one.id), key.id, client());
    await app.changeAccountStatus.suspend(one.id);
    await app.purgeAccount.execute(other.id, undefined, { actorId: 'admin:ada', client: client() });
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
    await app.revokeApiKey.execute(themselves(id), revoked.id, client());
    insertKey(kept.id, 'slipped-in');
    changeKey(revoked.id, { revokedAt: null });
    app.store.accounts.set(id, { ...app.store.accounts.get(id)!, permissions: ['all:write'] });
    const found = await verify();
    expect(found).toMatchObject({ intact: false, seal: undefined, problem: expect.stringMatching(/^4 differences /) });
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
