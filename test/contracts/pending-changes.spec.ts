import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Refusal } from '../../src/domain/errors.js';
import { outcomeOf } from '../support/application/calls.js';
import { change, newAccount, newKey, purge, revoke, rotate, type World } from './support/world.js';
import { WORLDS } from './support/worlds.js';

describe.each(WORLDS)('PendingChanges %s', (_name, open) => {
  let world: World;
  beforeAll(async () => {
    world = await open();
  });
  afterAll(() => world?.close());

  const found = (id: string) => world.accounts.transaction(id, async ({ leases }) => leases);
  /** Adds a row in a transaction that ends with this error, if any. */
  const add = (ownerId: string, error?: Error) => {
    const changeId = randomUUID();
    const call = world.accounts.transaction(ownerId, async (transaction) => {
      await transaction.addPendingChange(changeId);
      if (error) throw error;
    });
    return { changeId, call };
  };

  test('a transaction finds the changes of its owner that are not answered', async () => {
    const [id, other] = [await newAccount(world), await newAccount(world)];
    expect(await found(id)).toMatchObject({ pending: [], hasGivers: false, completeTimeline: undefined });
    const changes = [add(id), add(id), add(id, new Refusal('not_found', 'committed')), add(id, new Error('undone'))];
    const outcomes = await Promise.all(changes.map(({ call }) => outcomeOf(call)));
    expect(outcomes).toEqual(['ok', 'ok', 'not_found', 'undone']);
    const [first, second, refused] = changes.map(({ changeId }) => changeId);
    expect((await found(id)).pending.toSorted()).toEqual([first, second, refused].toSorted());
    expect((await found(other)).pending).toEqual([]);
    await world.pendingChanges.end([first!, refused!], undefined);
    expect((await found(id)).pending).toEqual([second]);
  });

  test('reads no givers where none are registered, and throws on another timeline', async () => {
    const { timeline } = await found(await newAccount(world));
    const recall = { notificationId: randomUUID(), ownerId: 'u1' };
    expect(await world.pendingChanges.recall(recall, timeline)).toEqual([]);
    expect(await outcomeOf(world.pendingChanges.recall(recall, timeline + 1))).toBe('unavailable');
  });

  test('a transaction notes whether what it saved ends leases', async () => {
    const id = await newAccount(world);
    const [revoked, rotated] = [await newKey(world, id), await newKey(world, id)];
    const noted: boolean[] = [];
    /** The same accounts, whose transactions are noted. */
    const noting: World = {
      ...world,
      accounts: {
        ...world.accounts,
        transaction: (owner, work, others) =>
          world.accounts.transaction(
            owner,
            async (transaction) => {
              const result = await work(transaction);
              noted.push(transaction.endsLeases);
              return result;
            },
            others,
          ),
      },
    };
    await revoke(noting, revoked);
    await rotate(noting, rotated, { graceSeconds: 60, isUsed: false });
    await newKey(noting, id);
    await change(noting, id, (account) => account.suspend());
    await change(noting, id, (account, now) => account.reactivate(now));
    await purge(noting, id);
    await purge(noting, id);
    expect(noted).toEqual([true, true, false, true, false, true, false]);
  });
});
