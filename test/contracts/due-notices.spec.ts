import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ApiKey } from '../../src/domain/keys/api-key.js';
import { DAY_MS } from '../../src/domain/time.js';
import { change, newAccount, newKey, purge, revoke, rotate, type World } from './support/world.js';
import { WORLDS } from './support/worlds.js';

const DAYS = [30, 7, 1];

describe.each(WORLDS)('notices that come by the clock %s', (_name, open) => {
  let world: World;
  beforeAll(async () => {
    world = await open();
  });
  afterAll(() => world?.close());

  /** Of the keys that are in the last `day` of their time. */
  const expiries = (day: number, noticeDays = DAYS, limit = 100) =>
    world.dueNotices.tellComingExpiries(noticeDays, day, limit);
  const rotations = (limit = 100) => world.dueNotices.tellUnusedRotations(limit);
  const days = (count: number) => world.pass(count * DAY_MS);
  const aKey = async (expiresInDays = 90) => newKey(world, await newAccount(world), { expiresInDays });
  const seen = new Set<string>();
  /** What receivers have been told since it was last asked. */
  const news = async () => {
    const fresh = (await world.outbox.claim('webhook', 1000)).filter(({ message }) => !seen.has(message.id));
    for (const { message } of fresh) seen.add(message.id);
    return fresh.map(({ message: { type, data } }) => ({ type, keyId: data.keyId, replaces: data.replacesKeyId }));
  };
  const expiring = (...keys: readonly ApiKey[]) =>
    keys.map(({ id }) => ({ type: 'api_key.expiring', keyId: id, replaces: undefined }));

  const leftDays = async (key: ApiKey) => (key.snapshot().expiresAt.getTime() - (await world.now()).getTime()) / DAY_MS;
  /** What the tests before have left is over. */
  beforeEach(async () => {
    await days(400);
    await world.keys.sweepDueEnds(1000);
    await news();
  });

  describe('of a coming expiry', () => {
    test('are told once for each number of days, by the clock of the database', async () => {
      const key = await aKey();
      const told: number[] = [];
      await days(60);
      for (const left of [30, 29, 8, 7, 6, 2, 1, 0]) {
        await world.pass(((await leftDays(key)) - left) * DAY_MS);
        const day = Math.max(left, 1);
        if ((await expiries(day)) + (await expiries(day)) > 0) told.push(left);
      }
      expect(told).toEqual([30, 7, 1]);
      expect((await news()).slice(-1)).toEqual(expiring(key));
    });

    test('are told of the fewest days alone, where several numbers were reached since the last look', async () => {
      const key = await aKey();
      await days(84);
      expect([await expiries(6), await expiries(6), await news()]).toEqual([1, 0, expiring(key)]);
      expect(await expiries(6, [30])).toBe(0);
      expect(await expiries(6, [10, 6])).toBe(1);
      expect(await expiries(5)).toBe(0);
    });

    test('are not told of days that are more than half of a lifetime', async () => {
      await aKey(13);
      const key = await aKey(14);
      await days(7);
      expect([await expiries(6), await expiries(7), await news()]).toEqual([0, 1, expiring(key)]);
    });

    test('begin to be told at the millisecond, and end with the key', async () => {
      await aKey(2);
      await world.pass(DAY_MS - 1);
      expect([await expiries(1), await expiries(2)]).toEqual([0, 0]);
      await world.pass(1);
      expect([await expiries(2), await expiries(1)]).toEqual([0, 1]);
      const key = await aKey(2);
      await world.pass(2 * DAY_MS);
      expect(await expiries(1)).toBe(0);
      await world.pass(-1);
      expect([await expiries(1), (await news()).slice(-1)]).toEqual([1, expiring(key)]);
    });

    test('are not told to owners who are not active, and to those who are active again what is due by then', async () => {
      const key = await aKey();
      await change(world, key.ownerId, (account) => account.suspend());
      const purged = await aKey();
      await purge(world, purged.ownerId);
      await days(62);
      expect(await expiries(28)).toBe(0);
      await days(22);
      await change(world, key.ownerId, (account) => account.reactivate());
      expect([await expiries(6), await expiries(6), await news()]).toEqual([1, 0, expiring(key)]);
    });

    test('are not told of keys that have ended, or that their successors end before', async () => {
      const [revoked, replaced, pending] = [await aKey(), await aKey(), await aKey()];
      await revoke(world, revoked);
      await days(60);
      await rotate(world, replaced, { graceSeconds: 600_000 });
      await rotate(world, pending, { graceSeconds: 600_000, isUsed: false });
      await news();
      expect([await expiries(30), await news()]).toEqual([1, expiring(pending)]);
    });

    test('are told in batches, of each key once', async () => {
      const keys = [await aKey(), await aKey(), await aKey()];
      await days(89);
      const batch = () => expiries(1, DAYS, 2);
      expect([await expiries(2, DAYS, 2), await batch(), await batch(), await batch()]).toEqual([0, 2, 1, 0]);
      const told = (await news()).map(({ keyId }) => keyId);
      expect(told.toSorted()).toEqual(keys.map(({ id }) => id).sort());
    });

    test('are told once, however many look at the same time', async () => {
      const keys = await Promise.all(Array.from({ length: 8 }, () => aKey()));
      await days(89);
      await Promise.all(Array.from({ length: 5 }, () => expiries(1)));
      await expiries(1);
      const told = (await news()).map(({ keyId }) => keyId);
      expect(told.toSorted()).toEqual(keys.map(({ id }) => id).sort());
    });
  });

  describe('that a rotation is unused', () => {
    test('are told once, seven days after it, with both keys', async () => {
      const key = await aKey();
      const successor = await rotate(world, key, { graceSeconds: 60, isUsed: false });
      await world.pass(7 * DAY_MS - 1);
      expect(await rotations()).toBe(0);
      await news();
      await world.pass(1);
      expect([await rotations(), await rotations()]).toEqual([1, 0]);
      const told = { type: 'api_key.rotation_unused', keyId: successor.id, replaces: key.id };
      expect((await news()).filter(({ type }) => type === told.type)).toEqual([told]);
      await days(30);
      expect(await rotations()).toBe(0);
    });

    test('are told once, however many look at the same time, and in batches', async () => {
      for (let made = 0; made < 5; made += 1) {
        await rotate(world, await aKey(), { graceSeconds: 60, isUsed: false });
      }
      await days(8);
      const told = await Promise.all(Array.from({ length: 3 }, () => rotations(2)));
      const rest = [await rotations(2), await rotations(2), await rotations(2)];
      expect([...told, ...rest].reduce((sum, count) => sum + count)).toBe(5);
    });

    test('are not told once the new key is used, either has ended, or the owner is not active', async () => {
      const begun = async (isUsed = false) => {
        const key = await aKey();
        return { key, successor: await rotate(world, key, { graceSeconds: 604_800, isUsed }) };
      };
      await begun(true);
      await revoke(world, (await begun()).key);
      await revoke(world, (await begun()).successor);
      await change(world, (await begun()).key.ownerId, (account) => account.delete());
      const short = await aKey(7);
      await rotate(world, short, { graceSeconds: 60, isUsed: false });
      await days(7);
      expect(await rotations()).toBe(0);
    });
  });
});
