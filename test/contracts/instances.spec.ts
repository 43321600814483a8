import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Refusal } from '#domain/errors.js';
import { outcomeOf } from '../support/application/calls.js';
import { newAccount, newKey, purge, type World } from './support/world.js';
import { WORLDS } from './support/worlds.js';

describe.each(WORLDS)('Changes that are not answered %s', (_name, open) => {
  let world: World;
  beforeAll(async () => {
    world = await open();
  });
  afterAll(() => world?.close());

  const unanswered = (ownerId: string) => world.accounts.transaction(ownerId, async (found) => found.unanswered);
  const leave = async (ownerId: string) => {
    const changeId = randomUUID();
    await world.accounts.transaction(ownerId, (transaction) => transaction.leaveUnanswered(changeId));
    return { ownerId, changeId };
  };

  test('are found by each later call about the same account, the last one only', async () => {
    const [id, other] = [await newAccount(world), await newAccount(world)];
    expect(await unanswered(id)).toBeUndefined();
    await leave(id);
    const { changeId } = await leave(id);
    expect([await unanswered(id), await unanswered(other), await unanswered('nobody')]).toEqual([
      changeId,
      undefined,
      undefined,
    ]);
  });

  test('are cleared together, unless a later change has followed', async () => {
    const [one, other] = [await leave(await newAccount(world)), await leave(await newAccount(world))];
    const later = await leave(one.ownerId);
    await world.instances.clear([one, other]);
    expect([await unanswered(one.ownerId), await unanswered(other.ownerId)]).toEqual([later.changeId, undefined]);
  });

  test('stay when the account is purged', async () => {
    const { ownerId, changeId } = await leave(await newAccount(world));
    await purge(world, ownerId);
    expect(await unanswered(ownerId)).toBe(changeId);
  });

  test('are saved with a refusal, and undone with every other error', async () => {
    const id = await newAccount(world);
    const failing = (error: Error) =>
      world.accounts.transaction(id, async (transaction) => {
        await transaction.leaveUnanswered(randomUUID());
        throw error;
      });
    await expect(failing(new Error('undone'))).rejects.toThrow('undone');
    expect(await unanswered(id)).toBeUndefined();
    expect(await outcomeOf(failing(new Refusal('rotation_pending', 'no')))).toBe('rotation_pending');
    expect(await unanswered(id)).toBeDefined();
  });

  test('are those that end leases on a key or on all keys of the account', async () => {
    const id = await newAccount(world);
    const key = await newKey(world, id);
    const ending = (work: Parameters<typeof world.accounts.transaction>[1]) =>
      world.accounts.transaction(id, async (transaction) => {
        await work(transaction);
        return transaction.endsLeases;
      });
    const saved = async (change: 'rename' | 'revoke') =>
      ending(async (transaction) => {
        const found = (await transaction.findKey(key.id))!;
        if (change === 'revoke') found.revoke(transaction.now);
        else found.rename({ name: 'Other' });
        await transaction.saveKey(found);
      });
    expect([await saved('rename'), await saved('revoke')]).toEqual([false, true]);
    const suspend = ending(async (transaction) => {
      transaction.account!.suspend();
      await transaction.saveAccount(transaction.account!);
    });
    expect(await suspend).toBe(true);
  });
});
