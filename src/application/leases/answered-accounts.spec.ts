import { beforeEach, describe, expect, test } from '@jest/globals';
import { ADMIN_PERMISSION, openFakes, type FakeApplication } from '../../../test/fakes/fake-application.js';
import { client, createKey, newOwner, outcomeOf, PASSWORD } from '../../../test/support/application/calls.js';
import { DAY_MS } from '../../domain/time.js';

const GIVER = { id: 'r1', leaseMs: 10_000 };
const settled = () => new Promise((resolve) => setImmediate(resolve));

let app: FakeApplication;
beforeEach(() => {
  app = openFakes();
  app.store.completeTimeline = 1;
});

/** Begins a call while nobody acknowledges. */
async function begin(call: () => Promise<unknown>) {
  app.store.givers = [GIVER];
  const begun = { outcome: undefined as string | undefined };
  void outcomeOf(call()).then((outcome) => (begun.outcome = outcome));
  await settled();
  return begun;
}
async function acknowledgeAll() {
  for (const { notificationId } of app.store.recalls.splice(0)) app.leaseMessages.acknowledge('r1', notificationId);
  await settled();
}
async function ownKey() {
  const { id } = await newOwner(app);
  const { key } = await createKey(app, id);
  const acting = { personId: id, ownerId: id };
  return { id, keyId: key.id, revoke: () => app.revokeApiKey.execute(acting, key.id, client()) };
}

describe('A call about an account', () => {
  test('is answered only after its change was acknowledged, and leaves no row', async () => {
    const { id, revoke } = await ownKey();
    const call = await begin(revoke);
    expect([call.outcome, [...app.store.pendingChanges.values()]]).toEqual([undefined, [id]]);
    await acknowledgeAll();
    expect([call.outcome, app.store.pendingChanges.size]).toEqual(['ok', 0]);
  });

  test('waits with a refusal that states an earlier change, too, and only while that one waits', async () => {
    const { id, keyId, revoke } = await ownKey();
    const first = await begin(revoke);
    const calls = [
      await begin(revoke),
      await begin(() => app.revokeKeys.one(keyId, { actorId: 'service:a', client: client() })),
      await begin(() => app.changeAccountStatus.suspend(id, -1n)),
    ];
    expect([first, ...calls].map(({ outcome }) => outcome)).toEqual([undefined, undefined, undefined, undefined]);
    expect(app.store.pendingChanges.size).toBe(1);
    await acknowledgeAll();
    expect([first, ...calls].map(({ outcome }) => outcome)).toEqual([
      'ok',
      'api_key_not_active',
      'ok',
      'stale_version',
    ]);
    expect((await begin(revoke)).outcome).toBe('api_key_not_active');
  });

  test('waits when it is made by an administrator', async () => {
    const { keyId } = await ownKey();
    const administrator = await newOwner(app, { permissions: [ADMIN_PERMISSION] });
    const call = await begin(() => app.revokeAnyKey.execute({ administrator, keyId, password: PASSWORD }, client()));
    expect([call.outcome, app.store.recalls.length]).toEqual([undefined, 1]);
    await acknowledgeAll();
    expect(call.outcome).toBe('ok');
  });

  test('finds a due end on the way, and waits for nothing', async () => {
    const { revoke } = await ownKey();
    app.store.pass(400 * DAY_MS);
    expect((await begin(revoke)).outcome).toBe('api_key_not_active');
    expect(app.store.recalls).toEqual([]);
  });

  test('fails at once if nobody knows whether it was committed', async () => {
    const { revoke } = await ownKey();
    app.store.isAuditTrailAway = true;
    expect((await begin(revoke)).outcome).toBe('unavailable');
    expect([app.store.recalls, app.store.pendingChanges.size]).toEqual([[], 0]);
  });

  test('inserts no row before the first registration, and waits if one came in between', async () => {
    app.store.completeTimeline = undefined;
    const { revoke } = await ownKey();
    const call = await begin(revoke);
    expect([call.outcome, app.store.pendingChanges.size]).toEqual([undefined, 0]);
    await acknowledgeAll();
    expect(call.outcome).toBe('ok');
  });
});

test('A job makes its next change before the one before was acknowledged', async () => {
  const [ann, bob] = [await newOwner(app), await newOwner(app)];
  const texts = [await createKey(app, ann.id), await createKey(app, bob.id)].map(({ fullKey }) => fullKey);
  await app.reportLeakedKeys.byAnybody({ texts, source: 'chat', url: null }, client());
  app.store.givers = [GIVER];
  expect(await app.endReportedKeys.execute()).toBe(2);
  expect([...app.store.pendingChanges.values()].toSorted()).toEqual([ann.id, bob.id].toSorted());
  await acknowledgeAll();
  expect(app.store.pendingChanges.size).toBe(0);
});
