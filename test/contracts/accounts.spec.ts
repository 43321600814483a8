import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { NO_ENTITLEMENTS } from '#domain/accounts/entitlements.js';
import { Account, type AccountStatus } from '#domain/accounts/account.js';
import { ApiKey } from '#domain/keys/api-key.js';
import { KeyString } from '#domain/keys/key-string.js';
import { client, outcomeOf, tally, times } from '../support/application/calls.js';
import { beginSession, change, eventsOf, HASH, linger, newAccount, purge, type World } from './support/world.js';
import { WORLDS } from './support/worlds.js';

const LAST_VERSION = 2n ** 64n - 1n;
const UNDONE = new Error('undone');

describe.each(WORLDS)('Accounts %s', (_name, open, onPostgres) => {
  let world: World;
  beforeAll(async () => {
    world = await open();
  });
  afterAll(() => world?.close());

  const stateOf = async (id: string) => {
    const account = await world.accounts.find(id);
    const { email, displayName, permissions, limits, attributes, passwordHash, status, version } = account!;
    return { email, displayName, permissions, limits, attributes, passwordHash, status, version };
  };

  test('finds accounts as they were stored, by id, and by email in any case', async () => {
    const profile = { displayName: 'Zoë’s "team"', permissions: ['b:read', 'a:write'], version: LAST_VERSION };
    const email = `Grace.${randomUUID()}@Example.org`;
    const id = await newAccount(world, { ...profile, email });
    expect(await stateOf(id)).toEqual({ ...NO_ENTITLEMENTS, ...profile, email, passwordHash: HASH, status: 'active' });
    for (const typed of [email, email.toLowerCase(), email.toUpperCase()]) {
      expect((await world.accounts.findByEmail(typed))?.id).toBe(id);
    }
  });

  test('finds limits and attributes as they were stored, in every status, until they are removed', async () => {
    const limits = {
      requestsPerSecond: 5,
      burst: 9,
      maxAccess: 'read-only',
      maxKeyDays: 7,
      maxActiveKeys: 100,
    } as const;
    const attributes = [
      { name: 'tenant', value: 'Zoë’s "\\' },
      { name: 'a', value: '' },
    ];
    for (const terms of [
      { limits, attributes },
      { limits, attributes: [] },
      { limits: {}, attributes },
    ]) {
      const id = await newAccount(world, terms);
      for (const status of ['suspended', 'deleted', 'active'] as const) {
        const verbs = { suspended: 'suspend', deleted: 'delete' } as const;
        await change(world, id, (account, now) =>
          status === 'active' ? account.reactivate(now) : account[verbs[status]](),
        );
        expect(await stateOf(id)).toMatchObject({ ...terms, status });
        const found = await world.accounts.findByEmail(`${id}@example.org`);
        expect(found).toEqual(await world.accounts.find(id));
      }
      await change(world, id, (account) => account.limitKeys({}));
      await change(world, id, (account) => account.describe([]));
      expect(await stateOf(id)).toMatchObject({ limits: {}, attributes: [], status: 'active' });
    }
  });

  test('finds no unknown accounts', async () => {
    expect(await world.accounts.find('nobody')).toBeUndefined();
    expect(await world.accounts.findByEmail('nobody@example.org')).toBeUndefined();
    expect(await world.accounts.transaction('nobody', async ({ account }) => account)).toBeUndefined();
  });

  test('lists accounts in one order, page by page, without purged ones', async () => {
    const ids = await Promise.all(times(7, () => newAccount(world)));
    await purge(world, ids.pop()!);
    const anyAccount = { status: undefined, email: undefined };
    const all: string[] = [];
    for (;;) {
      const page = await world.accounts.list(anyAccount, all.at(-1), 2);
      expect(page).toEqual(await Promise.all(page.map(({ id }) => world.accounts.find(id))));
      all.push(...page.map(({ id }) => id));
      if (page.length < 2) break;
    }
    expect(new Set(all).size).toBe(all.length);
    expect(all.filter((id) => ids.includes(id)).sort()).toEqual([...ids].sort());
    const whole = await world.accounts.list(anyAccount, undefined, 1000);
    expect(whole.map(({ id }) => id)).toEqual(all);
  });

  if (onPostgres) {
    test('filters the list by status, and by email in any case', async () => {
      const [id, other] = [await newAccount(world), await newAccount(world)];
      await change(world, id, (account) => account.suspend());
      const listed = async (status: AccountStatus | undefined, email: string | undefined) =>
        (await world.accounts.list({ status, email }, undefined, 1000)).map((account) => account.id);
      expect(await listed(undefined, `${id}@EXAMPLE.org`)).toEqual([id]);
      expect(await listed('suspended', `${id}@example.org`)).toEqual([id]);
      expect(await listed('active', `${id}@example.org`)).toEqual([]);
      const suspended = await listed('suspended', undefined);
      expect([suspended.includes(id), suspended.includes(other)]).toEqual([true, false]);
    });

    test('lists and counts service accounts that no active person manages', async () => {
      const [ada, bob, left] = [await newAccount(world), await newAccount(world), await newAccount(world)];
      const limited = await newAccount(world, { limits: { burst: 3 } });
      const service = (...managers: readonly string[]) => newAccount(world, { kind: 'service', managers });
      const before = await world.accounts.countWithoutManagers();
      const [both, ofAda, ofLimited] = [await service(ada, bob), await service(ada), await service(limited)];
      const [nobody, unknown, ofService] = [await service(), await service('nobody'), await service(ofAda)];
      const [stopped, deleted, ofLeft] = [await service(), await service(), await service(left)];
      await change(world, stopped, (account) => account.suspend());
      await change(world, deleted, (account) => account.delete());
      await purge(world, left);
      const mine = [both, ofAda, ofLimited, nobody, unknown, ofService, stopped, deleted, ofLeft];
      const without = async () => {
        const filter = { status: undefined, email: undefined, isWithoutManagers: true };
        const found = (await world.accounts.list(filter, undefined, 1000)).map(({ id }) => id);
        expect(await world.accounts.countWithoutManagers()).toBe(found.length);
        return found.filter((id) => mine.includes(id));
      };
      const always = [nobody, unknown, ofService, stopped, ofLeft];
      expect(await without()).toEqual([...always].sort());
      expect(await world.accounts.countWithoutManagers()).toBe(before + always.length);
      await change(world, ada, (account) => account.suspend());
      expect(await without()).toEqual([...always, ofAda].sort());
      await change(world, bob, (account) => account.delete());
      expect(await without()).toEqual([...always, ofAda, both].sort());
      await change(world, ada, (account, now) => account.reactivate(now));
      expect(await without()).toEqual([...always].sort());
    });

    test('lists accounts with limits or attributes by their status, as all others', async () => {
      const id = await newAccount(world, { attributes: [{ name: 'tenant', value: 'acme' }] });
      const limited = await newAccount(world, { limits: { burst: 3 } });
      const listed = async (status: AccountStatus) => {
        const ids = (await world.accounts.list({ status, email: undefined }, undefined, 1000)).map((each) => each.id);
        return [id, limited].filter((each) => ids.includes(each));
      };
      expect([await listed('active'), await listed('suspended')]).toEqual([[id, limited], []]);
      await change(world, id, (account) => account.suspend());
      expect([await listed('active'), await listed('suspended')]).toEqual([[limited], [id]]);
      await change(world, id, (account, now) => account.reactivate(now));
      expect([await listed('active'), await listed('suspended')]).toEqual([[id, limited], []]);
    });
  }

  test('keeps no change that was not saved', async () => {
    const id = await newAccount(world);
    (await world.accounts.find(id))!.suspend();
    await world.accounts.transaction(id, async ({ account }) => account!.suspend());
    expect((await stateOf(id)).status).toBe('active');
  });

  describe('a transaction', () => {
    /** Uses every method of a transaction. */
    const doAll =
      (id: string) => async (transaction: Parameters<Parameters<typeof world.accounts.transaction>[1]>[0]) => {
        const account = transaction.account!;
        account.suspend();
        await transaction.saveAccount(account);
        await transaction.endSessions();
        const order = { id: randomUUID(), ownerId: id, name: 'CI', access: 'read-only', expiresInDays: 1 } as const;
        const key = ApiKey.issue(order, KeyString.generate('lk'), transaction.now);
        await transaction.addKey(key, 'once');
        const seen = [(await transaction.findKey(key.id))?.id, await transaction.findKeyByIdempotencyKey('once', id)];
        expect([...seen, (await transaction.openKeys()).length]).toEqual([key.id, key.id, 1]);
        await transaction.record({ type: 'api_key.created', keyId: key.id, actorId: id, client: client() });
        return key;
      };
    const traces = async (id: string, token: string) => ({
      status: (await stateOf(id)).status,
      keys: (await world.keys.list({ ownerId: id }, undefined, 5)).items.length,
      events: (await eventsOf(world, id)).length,
      hasSession: (await world.sessions.find(token)) !== undefined,
    });

    test('stores everything that was done in it, and returns the result of the work', async () => {
      const id = await newAccount(world);
      const { token } = (await beginSession(world, id))!;
      const key = await world.accounts.transaction(id, doAll(id));
      expect(key).toBeInstanceOf(ApiKey);
      expect(await traces(id, token)).toEqual({ status: 'suspended', keys: 1, events: 1, hasSession: false });
      await change(world, id, (account, now) => account.reactivate(now));
      expect(await world.sessions.find(token)).toBeUndefined();
    });

    test('stores nothing when the work throws, and throws the same error', async () => {
      const id = await newAccount(world);
      const { token } = (await beginSession(world, id))!;
      const undone = world.accounts.transaction(id, async (transaction) => {
        await doAll(id)(transaction);
        throw UNDONE;
      });
      await expect(undone).rejects.toBe(UNDONE);
      expect(await traces(id, token)).toEqual({ status: 'active', keys: 0, events: 0, hasSession: true });
      expect(await world.accounts.transaction(id, (transaction) => transaction.openKeys())).toEqual([]);
    });

    if (onPostgres) {
      test('shows other readers nothing before it commits', async () => {
        const id = await newAccount(world);
        const { token } = (await beginSession(world, id))!;
        await world.accounts.transaction(id, async (transaction) => {
          await doAll(id)(transaction);
          expect(await traces(id, token)).toEqual({ status: 'active', keys: 0, events: 0, hasSession: true });
        });
      });
    }

    test('ends only the sessions of its account', async () => {
      const [id, other] = [await newAccount(world), await newAccount(world)];
      const { token } = (await beginSession(world, other))!;
      await world.accounts.transaction(id, (transaction) => transaction.endSessions());
      expect((await world.sessions.find(token))?.account.id).toBe(other);
    });

    test('locks its account: 20 concurrent increments lose none', async () => {
      const id = await newAccount(world, { version: 0n });
      await Promise.all(
        times(20, () =>
          change(world, id, (account) => {
            const { email, displayName, permissions, version } = account;
            account.update({ email, displayName, permissions, version: version + 1n });
          }),
        ),
      );
      expect((await stateOf(id)).version).toBe(20n);
    });

    if (onPostgres) {
      test('does not lock other accounts', async () => {
        const [id, other] = [await newAccount(world), await newAccount(world)];
        await world.accounts.transaction(id, async () => {
          await change(world, other, (account) => account.suspend());
        });
        expect((await stateOf(other)).status).toBe('suspended');
      });
    }

    test('reads the clock after it has locked the account', async () => {
      const id = await newAccount(world);
      let later: Promise<Date> | undefined;
      await world.accounts.transaction(id, async (transaction) => {
        later = world.accounts.transaction(id, async ({ now }) => now);
        await linger(transaction);
        await world.pass(5000);
      });
      expect(await later).toEqual(await world.now());
    });

    test('sees the account that a concurrent transaction has just opened', async () => {
      const id = `u-${randomUUID()}`;
      const put = (version: bigint) =>
        world.accounts.transaction(id, async (transaction) => {
          const profile = { email: `${id}@example.org`, displayName: '', permissions: [], version };
          const account = transaction.account ?? Account.open(id, profile);
          account.update({ ...profile, version: account.version > version ? account.version : version });
          await transaction.saveAccount(account);
        });
      expect(await tally(times(10, (n) => put(BigInt((n * 7) % 10))))).toEqual({ ok: 10 });
      expect((await stateOf(id)).version).toBe(9n);
    });
  });

  describe('an email', () => {
    const give = (id: string, email: string) =>
      change(world, id, (account) => account.update({ email, displayName: '', permissions: [] }));

    test('is refused when another account has it, in any case, and nothing is stored', async () => {
      const [holder, other] = [await newAccount(world), await newAccount(world)];
      const { email } = await stateOf(holder);
      const before = await stateOf(other);
      for (const typed of [email, email.toUpperCase()]) {
        await expect(give(other, typed)).rejects.toMatchObject({
          code: 'email_taken',
          message: 'email belongs to another account',
        });
      }
      await expect(newAccount(world, { email })).rejects.toMatchObject({ code: 'email_taken' });
      expect(await stateOf(other)).toEqual(before);
    });

    test('may change its case, and is free once its account has another one', async () => {
      const [holder, other] = [await newAccount(world), await newAccount(world)];
      const { email } = await stateOf(holder);
      await give(holder, email.toUpperCase());
      await give(holder, `${randomUUID()}@example.org`);
      expect(await outcomeOf(give(other, email))).toBe('ok');
    });

    test('goes to one of ten accounts that claim it at once', async () => {
      const email = `${randomUUID()}@example.org`;
      const claims = times(10, () => newAccount(world, { email }));
      expect(await tally(claims)).toEqual({ ok: 1, email_taken: 9 });
    });
  });

  describe('a hash with newer parameters', () => {
    test('replaces the hash from which it was made', async () => {
      const id = await newAccount(world);
      await world.accounts.rehash(id, HASH, 'newer');
      expect((await stateOf(id)).passwordHash).toBe('newer');
    });

    test('does not replace another hash, nor one that a transaction is setting', async () => {
      const id = await newAccount(world);
      await world.accounts.rehash(id, 'another', 'newer');
      expect((await stateOf(id)).passwordHash).toBe(HASH);
      let rehash: Promise<void> | undefined;
      await world.accounts.transaction(id, async (transaction) => {
        transaction.account!.changePassword('a new password');
        await transaction.saveAccount(transaction.account!);
        rehash = world.accounts.rehash(id, HASH, 'newer');
        await linger(transaction);
      });
      await rehash;
      expect((await stateOf(id)).passwordHash).toBe('a new password');
    });

    test('changes nothing for an unknown account', async () => {
      await world.accounts.rehash('nobody', HASH, 'newer');
      expect(await world.accounts.find('nobody')).toBeUndefined();
    });
  });
});
