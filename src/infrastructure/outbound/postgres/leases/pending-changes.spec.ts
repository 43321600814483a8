import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type Application,
  client,
  createKey,
  newOwner,
  openApplication,
  openOnOwnDatabase,
  outcomeOf,
  type OwnApplication,
  rotateKey,
  themselves,
} from '../../../../../test/support/application/application.js';
import { READ } from '../../../../../test/support/application/observers.js';
import { eventually } from '../../../../../test/support/eventually.js';
import { TestGiver } from '../../../../../test/support/stores/test-giver.js';
import { RevokeApiKey } from '../../../../application/keys/revoke-api-key.js';
import { answeredAccounts } from '../../../../application/leases/answered-accounts.js';
import { ChangeWaits } from '../../../../application/leases/change-waits.js';
import { NO_CLIENT } from '../../../../domain/audit/audit-event.js';
import { unavailable } from '../client/errors.js';

const PLATFORM = { actorId: 'service:platform', client: NO_CLIENT };

let [app, other]: (Application | OwnApplication)[] = [];
let databaseUrl: string;
const givers: TestGiver[] = [];
beforeAll(async () => {
  const own = await openOnOwnDatabase();
  ({ databaseUrl } = own);
  app = own;
  other = await openApplication(databaseUrl);
});
afterEach(async () => {
  await Promise.all(givers.splice(0).map((giver) => giver.leave()));
});
afterAll(async () => {
  await other?.close();
  await app?.close();
});

async function register(leaseMs?: number): Promise<TestGiver> {
  const giver = await TestGiver.register(databaseUrl, leaseMs === undefined ? {} : { leaseMs });
  givers.push(giver);
  return giver;
}

/** An owner with a key, made while nobody gives leases. */
async function owned(part: Parameters<typeof newOwner>[1] = {}) {
  const owner = await newOwner(app!, part);
  const { key, fullKey } = await createKey(app!, owner.id);
  return { owner, id: owner.id, keyId: key.id, fullKey };
}
type Owned = Awaited<ReturnType<typeof owned>>;

const revoke = (through: Application, { id, keyId }: Owned) =>
  through.revokeApiKey.execute(themselves(id), keyId, client());
const pendingOf = ({ id }: Owned) => app!.sql('SELECT change_id FROM pending_changes WHERE owner_id = $1', [id]);

/** A call under way, with its outcome once it is answered. */
function begin(work: Promise<unknown>) {
  const call = { outcome: undefined as string | undefined, answered: outcomeOf(work) };
  void call.answered.then((outcome) => (call.outcome = outcome));
  return call;
}

/** Other calls on both instances that take longer than an answer would. */
async function pass(): Promise<void> {
  for (const through of [app!, other!]) {
    const { id } = await newOwner(through);
    await createKey(through, id);
  }
}

describe('A change', () => {
  test('is answered exactly when the last giver has acknowledged it, and its row is deleted', async () => {
    const own = await owned();
    const both = [await register(), await register()] as const;
    const call = begin(revoke(app!, own));
    const [[first], [second]] = [await both[0].recalled(own.id), await both[1].recalled(own.id)];
    expect(first).toBe(second);
    await both[0].acknowledge(first!);
    await pass();
    expect([call.outcome, (await pendingOf(own)).length]).toEqual([undefined, 1]);
    await both[1].acknowledge('of another change', first!);
    expect(await call.answered).toBe('ok');
    expect(await pendingOf(own)).toEqual([]);
  });

  test('waits for a silent giver as long as its LEASE_MS and 2 %', async () => {
    const own = await owned();
    await register(300);
    const begun = performance.now();
    await revoke(app!, own);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(306);
    expect(await pendingOf(own)).toEqual([]);
  });

  test('makes a call on another instance wait that states the same end', async () => {
    const own = await owned();
    const giver = await register();
    const call = begin(revoke(app!, own));
    const [first] = await giver.recalled(own.id);
    const again = [
      begin(revoke(other!, own)),
      begin(other!.revokeKeys.one(own.keyId, PLATFORM)),
      begin(other!.renameApiKey.execute(themselves(own.id), own.keyId, { name: 'Other' }, client())),
    ];
    const others = await giver.recalled(own.id, again.length);
    await pass();
    expect([call, ...again].some(({ outcome }) => outcome !== undefined)).toBe(false);
    await giver.acknowledge(first!, ...others);
    expect(await Promise.all([call, ...again].map(({ answered }) => answered))).toEqual([
      'ok',
      'api_key_not_active',
      'ok',
      'ok',
    ]);
    expect(await outcomeOf(revoke(other!, own))).toBe('api_key_not_active');
    expect(giver.recalls).toEqual([]);
  });

  test('waits apart from an earlier change of the same owner', async () => {
    const own = await owned();
    const second = { ...own, keyId: (await createKey(app!, own.id)).key.id };
    const giver = await register();
    const calls = [begin(revoke(app!, own))];
    const [first] = await giver.recalled(own.id);
    calls.push(begin(revoke(other!, second)));
    const [later] = await giver.recalled(own.id);
    expect(await pendingOf(own)).toHaveLength(2);
    await giver.acknowledge(later!);
    expect(await calls[1]!.answered).toBe('ok');
    await pass();
    expect([calls[0]!.outcome, await pendingOf(own)]).toEqual([undefined, []]);
    await giver.acknowledge(first!);
    expect(await calls[0]!.answered).toBe('ok');
  });

  test('is unavailable if nobody can be notified, and then the next call waits and deletes the row', async () => {
    const own = await owned();
    const giver = await register();
    const recall = app!.pendingChanges.recall.bind(app!.pendingChanges);
    app!.pendingChanges.recall = () => Promise.reject(unavailable());
    expect(await outcomeOf(revoke(app!, own))).toBe('unavailable');
    app!.pendingChanges.recall = recall;
    expect(await pendingOf(own)).toHaveLength(1);
    const next = begin(revoke(other!, own));
    const ids = await giver.recalled(own.id);
    await pass();
    expect(next.outcome).toBeUndefined();
    await giver.acknowledge(...ids);
    expect(await next.answered).toBe('api_key_not_active');
    expect(await pendingOf(own)).toEqual([]);
  });

  test('waits on a promoted server for 10.2 s, and then names its timeline', async () => {
    const own = await owned();
    givers.push(await TestGiver.register(databaseUrl, { timeline: 7 }));
    const timers: [number, () => void][] = [];
    const clock = {
      ms: 0,
      nowMs: () => clock.ms,
      at: (...timer: [number, () => void]) => (timers.push(timer), () => {}),
    };
    const waits = new ChangeWaits({ ...app!, changeMeter: app!.changeTimes }, clock);
    const revokeKey = new RevokeApiKey(answeredAccounts(app!.accounts, waits));
    const call = begin(revokeKey.execute(themselves(own.id), own.keyId, client()));
    const [giver] = givers;
    await giver!.acknowledge(...(await giver!.recalled(own.id)));
    await eventually(async () => timers.length > 0);
    const passTo = (ms: number) => {
      clock.ms = ms;
      for (const [, run] of timers.splice(0)) run();
    };
    passTo(10_199);
    await pass();
    expect(call.outcome).toBeUndefined();
    passTo(10_200);
    expect(await call.answered).toBe('ok');
    expect(await app!.sql('SELECT timeline FROM lease_timeline')).toEqual([{ timeline: '1' }]);
  });
});

describe('While a giver stays silent', () => {
  const command = ({ owner, id }: Owned) => ({
    id,
    email: owner.email,
    displayName: owner.displayName,
    permissions: owner.permissions,
  });

  test.each<[string, (own: Owned) => Promise<unknown>]>([
    ['a revoke by the owner', (own) => revoke(app!, own)],
    ['a revoke by the platform', ({ keyId }) => app!.revokeKeys.one(keyId, PLATFORM)],
    ['a revoke of all keys', ({ id }) => app!.revokeKeys.all(id, PLATFORM)],
    [
      'a report of leaked keys at the command line',
      ({ fullKey }) => app!.revokeLeakedKeys.execute(fullKey, { ...PLATFORM, actorId: 'admin:ada' }),
    ],
    ['a rotation', ({ id, keyId }) => rotateKey(app!, { ownerId: id, id: keyId })],
    ['a suspension', ({ id }) => app!.changeAccountStatus.suspend(id)],
    ['a deletion', ({ id }) => app!.changeAccountStatus.delete(id)],
    ['a purge', ({ id }) => app!.purgeAccount.execute(id, undefined, PLATFORM)],
    ['a permission less', (own) => app!.putAccount.execute({ ...command(own), permissions: ['systems:read'] })],
    [
      'a permission more',
      (own) => app!.putAccount.execute({ ...command(own), permissions: [...own.owner.permissions, 'users:read'] }),
    ],
    [
      'other limits',
      ({ id }) =>
        app!.changeEntitlements.limit(id, { limits: { burst: 3 }, isWhole: true, version: undefined }, PLATFORM),
    ],
    [
      'other attributes',
      ({ id }) => app!.changeEntitlements.describe(id, [{ name: 'a', value: 'b' }], undefined, PLATFORM),
    ],
  ])('%s is answered only after an acknowledgement', async (_change, change) => {
    const own = await owned();
    const giver = await register();
    const call = begin(change(own));
    const ids = await giver.recalled(own.id);
    expect([call.outcome, (await pendingOf(own)).length]).toEqual([undefined, 1]);
    await giver.acknowledge(...ids);
    expect(await call.answered).toBe('ok');
    expect(await pendingOf(own)).toEqual([]);
  });

  test('a call that ends no lease is answered at once', async () => {
    const own = await owned({ displayName: 'Before' });
    const { id, keyId } = own;
    await app!.changeAccountStatus.suspend(id);
    const giver = await register();
    await app!.changeAccountStatus.reactivate(id);
    await app!.renameApiKey.execute(themselves(id), keyId, { name: 'Other' }, client());
    await createKey(app!, id);
    await app!.putAccount.execute({ ...command(own), displayName: 'After' });
    expect([await pendingOf(own), giver.recalls]).toEqual([[], []]);
  });

  test('no validation waits, not even for a first use that ends the old key while a change of its owner waits', async () => {
    const own = await owned();
    const { id, keyId } = own;
    const { fullKey, key } = await rotateKey(app!, { ownerId: id, id: keyId }, { graceSeconds: 0 });
    const third = { ...own, keyId: (await createKey(app!, id)).key.id };
    const giver = await register();
    const change = begin(revoke(other!, third));
    const ids = await giver.recalled(id);
    const { verdict } = await app!.validateKey.execute({ credential: fullKey, question: READ, client: client() });
    expect(verdict).toMatchObject({ granted: true });
    const { items } = await app!.listApiKeys.execute(id, 'revoked', { limit: 5 });
    expect(items.map((item) => item.key.id).toSorted()).toEqual([keyId, third.keyId].toSorted());
    expect([change.outcome, giver.recalls, (await pendingOf(own)).length]).toEqual([undefined, [], 1]);
    await giver.acknowledge(...ids);
    expect(await change.answered).toBe('ok');
    expect((await app!.getApiKey.execute(id, key.id)).key.status(new Date())).toBe('active');
  });
});
