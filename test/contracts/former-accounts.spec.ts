import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { NO_TERMS } from '#domain/accounts/account-change.js';
import { Account } from '#domain/accounts/account.js';
import { FormerAccount } from '#domain/accounts/former-account.js';
import { client } from '../support/application/calls.js';
import {
  beginSession,
  eventsOf,
  HASH,
  linger,
  newAccount,
  newKey,
  purge,
  revoke,
  type World,
} from './support/world.js';
import { WORLDS } from './support/worlds.js';

const PROFILE = { displayName: 'Grace', permissions: ['b:read'] };

describe.each(WORLDS)('A purged account %s', (_name, open, onPostgres) => {
  let world: World;
  beforeAll(async () => {
    world = await open();
  });
  afterAll(() => world?.close());

  const emailOf = (id: string) => `${id}@example.org`;
  const seen = (id: string) =>
    world.accounts.transaction(id, async ({ account, formerAccount }) => ({ account, formerAccount }));
  /** Opens a new account under the id of a purged one. */
  const openAgain = (id: string, version: bigint, email = emailOf(id)) =>
    world.accounts.transaction(id, async (transaction) => {
      await transaction.saveAccount(transaction.formerAccount!.open({ ...PROFILE, email, version }));
    });
  const record = (id: string, keyId: string) =>
    world.accounts.transaction(id, (transaction) =>
      transaction.record({ type: 'api_key.created', keyId, actorId: null, client: client() }),
    );
  const keysOf = async (id: string) => {
    const { items, now } = await world.keys.list({ ownerId: id }, undefined, 50);
    const { activeKeys } = await world.keys.count(id, now);
    return { ids: items.map(({ key }) => key.id), activeKeys };
  };

  test('is not found, and leaves its id and last version', async () => {
    const id = await newAccount(world, { version: 5n });
    expect((await seen(id)).formerAccount).toBeUndefined();
    await purge(world, id, 6n);
    expect(await world.accounts.find(id)).toBeUndefined();
    expect(await world.accounts.findByEmail(emailOf(id))).toBeUndefined();
    expect(await seen(id)).toEqual({ account: undefined, formerAccount: FormerAccount.restore(id, 6n) });
    await purge(world, id, 7n);
    expect((await seen(id)).formerAccount).toEqual(FormerAccount.restore(id, 7n));
  });

  if (onPostgres) {
    test('stays visible until the purge commits', async () => {
      const id = await newAccount(world);
      const undone = new Error('undone');
      const forgetting = world.accounts.transaction(id, async (transaction) => {
        await transaction.forgetAccount(FormerAccount.restore(id, 1n));
        expect(await world.accounts.find(id)).toBeDefined();
        throw undone;
      });
      await expect(forgetting).rejects.toBe(undone);
      expect((await world.accounts.find(id))?.email).toBe(emailOf(id));
    });
  }

  test('frees its email, and accepts neither a session nor a newer hash', async () => {
    const [id, other] = [await newAccount(world), await newAccount(world)];
    await purge(world, id);
    await purge(world, other);
    await newAccount(world, { email: emailOf(id) });
    expect(await beginSession(world, id)).toBeUndefined();
    await world.accounts.rehash(id, HASH, 'newer');
    expect(await world.accounts.find(id)).toBeUndefined();
  });

  test('frees its id for a new account, which has only its own data', async () => {
    const id = await newAccount(world, { version: 5n });
    await purge(world, id);
    await openAgain(id, 6n);
    const { account, formerAccount } = await seen(id);
    const status = 'active' as const;
    const state = {
      ...NO_TERMS,
      ...PROFILE,
      id,
      email: emailOf(id),
      version: 6n,
      status,
      passwordHash: null,
      activeSince: null,
      signInIssuer: null,
      signedInAt: null,
    };
    expect([account, formerAccount]).toEqual([Account.restore(state), undefined]);
    expect(await world.accounts.find(id)).toEqual(account);
  });

  test('does not take back an email that another account has', async () => {
    const id = await newAccount(world, { version: 5n });
    await purge(world, id);
    await newAccount(world, { email: emailOf(id) });
    await expect(openAgain(id, 6n)).rejects.toMatchObject({ code: 'email_taken' });
    expect(await seen(id)).toEqual({ account: undefined, formerAccount: FormerAccount.restore(id, 5n) });
  });

  test('keeps its keys, which the new account neither sees nor finds', async () => {
    const id = await newAccount(world);
    const [old, ended] = [await newKey(world, id, { idempotencyKey: 'once' }), await newKey(world, id)];
    for (const key of [old, ended]) await revoke(world, key);
    await purge(world, id);
    expect(await keysOf(id)).toEqual({ ids: [], activeKeys: 0 });
    await openAgain(id, 1n);
    const key = await newKey(world, id, { idempotencyKey: 'once' });
    expect(await keysOf(id)).toEqual({ ids: [key.id], activeKeys: 1 });
    await world.accounts.transaction(id, async (transaction) => {
      expect(await transaction.findKey(old.id)).toBeUndefined();
      expect(await transaction.findKeyByIdempotencyKey('once', id)).toBe(key.id);
      expect((await transaction.openKeys()).map((each) => each.id)).toEqual([key.id]);
    });
    expect(await world.keys.findListed(old.id, id)).toBeUndefined();
    expect((await world.keys.find(old.id))?.snapshot().revokedAt).toEqual(expect.any(Date));
    expect(await world.keys.findByPublicParts([old.snapshot().publicPart])).toMatchObject([{ id: old.id }]);
    const { found } = await world.keyReader.read(old.snapshot().publicPart);
    expect([found?.id, found?.status(await world.now())]).toEqual([old.id, 'revoked']);
  });

  if (onPostgres) {
    test('keeps its events, which the new account does not see, nor later events of the old keys', async () => {
      const id = await newAccount(world);
      const old = await newKey(world, id);
      const failure = { reason: 'revoked', client: client(), ownerId: id, publicPart: null } as const;
      await record(id, old.id);
      await world.audit.recordFailure({ ...failure, keyId: null, reason: 'incorrect-password' });
      await revoke(world, old);
      await purge(world, id);
      await openAgain(id, 1n);
      await world.audit.recordFailure({ ...failure, keyId: old.id });
      expect(await eventsOf(world, id)).toEqual([]);
      const key = await newKey(world, id);
      await record(id, key.id);
      await world.audit.recordFailure({ ...failure, keyId: key.id });
      await world.audit.recordFailure({ ...failure, keyId: null, reason: 'incorrect-password' });
      expect((await eventsOf(world, id)).map(({ keyId }) => keyId)).toEqual([key.id, key.id, null]);
    });
  }

  test('is locked during the purge, so that concurrent changes come after it', async () => {
    const id = await newAccount(world);
    let concurrent: ReturnType<typeof seen> | undefined;
    await world.accounts.transaction(id, async (transaction) => {
      concurrent = seen(id);
      await linger(transaction);
      await transaction.forgetAccount(FormerAccount.restore(id, 3n));
    });
    expect(await concurrent).toEqual({ account: undefined, formerAccount: FormerAccount.restore(id, 3n) });
  });

  test('does not exist under an unused id', async () => {
    expect(await seen(randomUUID())).toEqual({ account: undefined, formerAccount: undefined });
  });
});
