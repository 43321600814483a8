import { describe, expect, test } from '@jest/globals';
import { openFakes } from '#test/fakes/fake-application.js';
import { createKey, newOwner, outcomeOf, times } from '#test/support/application/calls.js';
import { NO_CLIENT } from '#domain/audit/audit-event.js';
import { DAY_MS } from '#domain/time.js';
import { LatchkeyError, Refusal } from '#domain/errors.js';
import { RevokeKeys } from './keys/revoke-keys.js';
import { ChangeAccount } from './accounts/change-account.js';
import { rehearsed } from './with-transactions.js';
import { accountsForJobs, ChangeWaits } from './change-waits.js';
import type { AccountTransaction, Instances } from './account-ports.js';

const app = openFakes();
const ADA = { actorId: 'admin:ada', client: NO_CLIENT };
const CAUSE = { actor: ADA, reason: 'administrator' } as const;
const accounts = rehearsed(app.accounts);
const revoke = new RevokeKeys(accounts, app.keys, []);
const status = new ChangeAccount(accounts);

const stored = () => {
  const { accounts: people, keys, events, outbox, sessions, formerAccounts } = app.store;
  return structuredClone([
    [...people],
    [...keys.values()].map(({ state }) => state),
    events,
    [...outbox],
    [...sessions],
    [...formerAccounts],
  ]);
};

test('Rehearsed changes return what the changes would, and change nothing', async () => {
  const owner = await newOwner(app);
  const keys = await Promise.all(times(2, async () => (await createKey(app, owner.id)).key));
  const before = stored();
  expect((await revoke.all(owner.id, CAUSE)).map(({ id }) => id).sort()).toEqual(keys.map(({ id }) => id).sort());
  expect((await revoke.one(owner.id, keys[0]!.id, CAUSE)).id).toBe(keys[0]!.id);
  expect(await new ChangeAccount(accounts).purge(owner.id, undefined, ADA)).toBe(2);
  expect((await status.suspend(owner.id, 9n, ADA)).status).toBe('suspended');
  expect((await status.delete(owner.id)).version).toBe(0n);
  expect(stored()).toEqual(before);
});

test('Rehearsed changes fail as the changes would, and do not record even a due end', async () => {
  const owner = await newOwner(app, { version: 5n });
  const { key } = await createKey(app, owner.id);
  app.store.pass(2 * DAY_MS);
  const before = stored();
  expect(await outcomeOf(revoke.one(owner.id, key.id, CAUSE))).toBe('api_key_not_active');
  expect(await outcomeOf(status.suspend(owner.id, 4n))).toBe('stale_version');
  expect(await outcomeOf(status.suspend('nobody'))).toBe('account_not_found');
  expect(stored()).toEqual(before);
});

/** Time passes only where a call waits for it. */
function opened(instances: Partial<Instances> = {}) {
  const app = openFakes();
  const clock = {
    atMs: 1000,
    nowMs: () => clock.atMs,
    until: async (ms: number) => void (clock.atMs = Math.max(clock.atMs, ms)),
  };
  const waited: number[] = [];
  const waits = new ChangeWaits({ ...app.instances, ...instances }, { waited: (ms) => waited.push(ms) }, clock);
  app.store.longestLeaseMs = 500;
  return { ...app, waits, waited, clock, accounts: waits.answered(app.accounts), plain: app.accounts };
}
type Opened = ReturnType<typeof opened>;

async function newKey(app: Opened) {
  const { id } = await newOwner(app);
  const { key } = await createKey(app, id);
  return { ownerId: id, keyId: key.id };
}

const revoking = (keyId: string) => async (transaction: AccountTransaction) => {
  const key = (await transaction.findKey(keyId))!;
  key.revoke(transaction.now);
  await transaction.saveKey(key);
};

describe('A call about an account', () => {
  test('waits for 110 % of the longest lease if it ends leases, and then counts as answered', async () => {
    const app = opened();
    const { ownerId, keyId } = await newKey(app);
    await app.accounts.transaction(ownerId, revoking(keyId));
    expect([app.waited, app.store.unanswered.get(ownerId)]).toEqual([[550], undefined]);
    await app.accounts.transaction(ownerId, async () => 'nothing');
    expect(app.waited).toEqual([550]);
  });

  test.each<[string, unknown]>([
    ['succeeds', undefined],
    ['is refused', new Refusal('api_key_not_active', 'This API key is already revoked')],
    ['fails with a known error', new LatchkeyError('account_not_found', 'no account has this id')],
  ])('waits if it finds a change that is not answered, changes nothing and %s', async (_how, error) => {
    const app = opened();
    const { ownerId, keyId } = await newKey(app);
    await accountsForJobs(app.plain).transaction(ownerId, revoking(keyId));
    expect(app.waited).toEqual([]);
    const call = app.accounts.transaction(ownerId, async () => {
      if (error !== undefined) throw error;
    });
    expect(await call.catch((thrown: unknown) => thrown)).toBe(error);
    expect([app.waited, app.store.unanswered.size]).toEqual([[550], 0]);
  });

  test('does not wait if its own outcome is unknown: it says nothing about the account', async () => {
    const app = opened();
    const { ownerId, keyId } = await newKey(app);
    const away = app.waits.answered({
      ...app.plain,
      transaction: async (id, work) => {
        await app.plain.transaction(id, work);
        throw new LatchkeyError('unavailable', 'the answer to the commit was lost');
      },
    });
    expect(await outcomeOf(away.transaction(ownerId, revoking(keyId)))).toBe('unavailable');
    expect([app.waited, app.store.unanswered.has(ownerId)]).toEqual([[], true]);
    await app.accounts.transaction(ownerId, async () => 'repeated');
    expect(app.waited).toEqual([550]);
  });

  test('leaves nothing unanswered if its transaction is rolled back', async () => {
    const app = opened();
    const { ownerId, keyId } = await newKey(app);
    const call = app.accounts.transaction(ownerId, async (transaction) => {
      await revoking(keyId)(transaction);
      throw new LatchkeyError('email_taken', 'email belongs to another account');
    });
    expect(await outcomeOf(call)).toBe('email_taken');
    expect([app.waited, app.store.unanswered.size]).toEqual([[], 0]);
  });

  test('waits once for all that it changes in several transactions', async () => {
    const app = opened();
    const keys = [await newKey(app), await newKey(app)];
    await app.waits.once(app.plain, async (accounts) => {
      for (const { ownerId, keyId } of keys) await accounts.transaction(ownerId, revoking(keyId));
    });
    expect([app.waited, app.store.unanswered.size]).toEqual([[550], 0]);
  });
});

describe('The wait', () => {
  test('takes 2.2 s where no process is known, or the processes can not be read', async () => {
    const unread: Partial<Instances> = { longestLeaseMs: () => Promise.reject(new Error('no answer')) };
    for (const app of [opened(), opened(unread)]) {
      app.store.longestLeaseMs = undefined;
      const { ownerId, keyId } = await newKey(app);
      await app.accounts.transaction(ownerId, revoking(keyId));
      expect(app.waited).toEqual([2200]);
    }
  });

  test('is none with LEASE_MS 0 everywhere, and then the change is not cleared', async () => {
    const app = opened();
    app.store.longestLeaseMs = 0;
    const { ownerId, keyId } = await newKey(app);
    await app.accounts.transaction(ownerId, revoking(keyId));
    expect([app.waited, app.clock.atMs, app.store.unanswered.has(ownerId)]).toEqual([[], 1000, true]);
  });

  test('counts the time that reading the processes took', async () => {
    const slow: Partial<Instances> = {
      longestLeaseMs: async () => {
        app.clock.atMs += 300;
        return 500;
      },
    };
    const app = opened(slow);
    const { ownerId, keyId } = await newKey(app);
    await app.accounts.transaction(ownerId, revoking(keyId));
    expect(app.waited).toEqual([550]);
  });

  test('leaves a later change of the account unanswered', async () => {
    const app = opened();
    const { ownerId, keyId } = await newKey(app);
    const { until } = app.clock;
    app.clock.until = async (ms) => {
      app.store.unanswered.set(ownerId, 'a later change');
      await until(ms);
    };
    await app.accounts.transaction(ownerId, revoking(keyId));
    expect(app.store.unanswered.get(ownerId)).toBe('a later change');
  });

  test.each<[string, Instances['clear']]>([
    ['fails', () => Promise.reject(new Error('no answer'))],
    ['takes for ever', () => new Promise(() => undefined)],
  ])('changes no answer if clearing the change %s', async (_how, clear) => {
    const app = opened({ clear });
    const { ownerId, keyId } = await newKey(app);
    await app.accounts.transaction(ownerId, revoking(keyId));
    expect(app.store.unanswered.has(ownerId)).toBe(true);
    await app.waits.close();
  });
});
