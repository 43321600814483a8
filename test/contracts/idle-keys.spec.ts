import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { RecordDueEnds } from '#application/keys/record-due-ends.js';
import { RevokeIdleKeys } from '#application/keys/revoke-idle-keys.js';
import type { ApiKey } from '#domain/keys/api-key.js';
import { DAY_MS, MINUTE_MS } from '#domain/time.js';
import { change, eventsOf, newAccount, newKey, purge, revoke, rotate, type World } from './support/world.js';
import { WORLDS } from './support/worlds.js';

const BOTH = { webhook: true, mail: true };

describe.each(WORLDS)('idle keys %s', (_name, open, onPostgres) => {
  let world: World;
  beforeAll(async () => {
    world = await open();
  });
  afterAll(() => world?.close());

  const days = (count: number) => world.pass(count * DAY_MS);
  const rule = (receivers = BOTH, afterDays: number | undefined = 30) =>
    new RevokeIdleKeys(world.idleKeys, world.accounts, { afterDays, receivers });
  const find = async (...given: Parameters<typeof rule>) => (await rule(...given).find()).notified;
  const check = async (...given: Parameters<typeof rule>) => (await rule(...given).check()).ended;
  const aKey = async () => newKey(world, await newAccount(world), { expiresInDays: 365 });
  /** What lists show, which the fake does not. */
  const expectShown = async (endsAt: Date | null, ...keys: ApiKey[]) => {
    const listed = await Promise.all(keys.map(({ id, ownerId }) => world.keys.findListed(id, ownerId)));
    if (onPostgres) expect(listed.map((key) => key!.idleEndsAt)).toEqual(keys.map(() => endsAt));
  };
  const use = async ({ id }: ApiKey) => {
    world.usage.noteGrant(id, null, null, await world.now());
    await world.settled();
  };
  /** How the key ended, if it did. */
  const endOf = async ({ id, ownerId }: ApiKey) =>
    (await eventsOf(world, ownerId)).flatMap(({ type, keyId, reason }) =>
      keyId === id && type === 'api_key.revoked' ? [reason] : [],
    );
  const noticesOf = async ({ ownerId }: ApiKey) => {
    const own = (await world.notices()).filter(({ type, data }) => data.ownerId === ownerId && type === 'api_key.idle');
    return own.map(({ data }) => data);
  };
  const awaitsUse = async (...given: ApiKey[]) => {
    const found = await Promise.all(given.map((each) => world.keyReader.read(each.snapshot().publicPart)));
    return found.map((reading) => reading.found!.awaitsUse);
  };
  const recordUse = ({ id, ownerId }: ApiKey) =>
    world.accounts.transaction(ownerId, (transaction) => transaction.recordUse(id, transaction.now));
  /** Both checks. */
  const checkTwice = async () => {
    const first = await check();
    await world.pass(10 * MINUTE_MS);
    return [first, await check()];
  };
  /** Ends what the test before left behind. */
  const clear = async () => {
    await days(400);
    await new RecordDueEnds(world.dueKeys, world.recordingGate).ofAll();
    await check();
  };

  test('end a week after their notice, each once, with their reason and notices', async () => {
    await clear();
    const key = await aKey();
    await days(30);
    await world.pass(-1);
    expect(await find()).toBe(0);
    await expectShown(null, key);
    await world.pass(1);
    expect([await find(), await find()]).toEqual([1, 0]);
    const endsAt = new Date((await world.now()).getTime() + 7 * DAY_MS);
    await expectShown(endsAt, key);
    expect(await noticesOf(key)).toMatchObject([{ keyId: key.id, endsAt: endsAt.toISOString() }]);
    await days(7);
    await world.pass(-1);
    expect(await checkTwice()).toEqual([0, 0]);
    expect([await checkTwice(), await check()]).toEqual([[0, 1], 0]);
    expect(await endOf(key)).toEqual(['idle']);
    await expectShown(null, key);
    expect((await world.keys.find(key.id))!.status(await world.now())).toBe('revoked');
  });

  test('stay when they are used before the second check, and get a new notice later', async () => {
    await clear();
    const [early, late] = [await aKey(), await aKey()];
    await days(30);
    await find();
    await days(1);
    await use(early);
    await expectShown(null, early);
    await days(6);
    expect(await check()).toBe(0);
    await use(late);
    await world.pass(10 * MINUTE_MS);
    expect([await check(), await find()]).toEqual([0, 0]);
    await days(30);
    expect([await find(), await endOf(early), await endOf(late)]).toEqual([2, [], []]);
  });

  test('stay when they are used between the two checks, which is recorded before the answer', async () => {
    await clear();
    const key = await aKey();
    await days(30);
    await find();
    await days(7);
    expect(await awaitsUse(key)).toEqual([false]);
    await check();
    expect(await awaitsUse(key)).toEqual([true]);
    await recordUse(key);
    expect([await awaitsUse(key), await find()]).toEqual([[false], 0]);
    await expectShown(null, key);
    await world.pass(10 * MINUTE_MS);
    expect([await check(), await endOf(key)]).toEqual([0, []]);
  });

  test('are not counted while their owner is suspended, and lose their notice', async () => {
    await clear();
    const [key, noticed] = [await aKey(), await aKey()];
    await change(world, key.ownerId, (account) => account.suspend());
    await days(100);
    expect(await find()).toBe(1);
    await change(world, noticed.ownerId, (account) => account.suspend());
    await check();
    await days(7);
    expect([await checkTwice(), await find()]).toEqual([[0, 0], 0]);
    for (const { ownerId } of [key, noticed]) await change(world, ownerId, (account, now) => account.reactivate(now));
    expect([await find(), await checkTwice()]).toEqual([0, [0, 0]]);
    await days(30);
    expect(await find()).toBe(2);
  });

  test('of a rotating pair count as one, with one notice, and end together', async () => {
    await clear();
    const key = await aKey();
    await days(40);
    expect(await find()).toBe(1);
    const next = await rotate(world, key, { graceSeconds: 60, isUsed: false });
    await check();
    expect(await find()).toBe(0);
    await expectShown(null, key, next);
    await days(30);
    expect([await find(), await find()]).toEqual([1, 0]);
    expect((await noticesOf(key)).at(-1)).toMatchObject({ keyId: next.id, replacesKeyId: key.id });
    const endsAt = new Date((await world.now()).getTime() + 7 * DAY_MS);
    await expectShown(endsAt, key, next);
    await days(7);
    expect([await check(), await awaitsUse(key, next)]).toEqual([0, [true, true]]);
    await recordUse(key);
    expect(await awaitsUse(key, next)).toEqual([false, true]);
    await expectShown(null, key, next);
    await days(30);
    await find();
    await days(7);
    expect(await checkTwice()).toEqual([0, 2]);
    expect([await endOf(key), await endOf(next)]).toEqual([['idle'], ['idle']]);
  });

  test('stay without a receiver, and without the setting', async () => {
    await clear();
    const key = await aKey();
    await days(100);
    const nobody = { webhook: false, mail: false };
    expect([await find(nobody), await find()]).toEqual([0, 1]);
    await expectShown(new Date((await world.now()).getTime() + 7 * DAY_MS), key);
  });

  test('that ended in another way, or were purged, end no second time', async () => {
    await clear();
    const [revoked, purged] = [await aKey(), await aKey()];
    await days(30);
    expect(await find()).toBe(2);
    await revoke(world, revoked);
    await purge(world, purged.ownerId);
    await days(7);
    expect([await checkTwice(), await find()]).toEqual([[0, 0], 0]);
    expect([await endOf(revoked), await endOf(purged)]).toEqual([[], []]);
  });

  test('are notified and ended once by several instances at the same time', async () => {
    await clear();
    const keys = await Promise.all(Array.from({ length: 8 }, aKey));
    await days(30);
    const at = async (work: () => Promise<number>) =>
      (await Promise.all(Array.from({ length: 4 }, work))).reduce((sum, count) => sum + count);
    expect(await at(find)).toBe(8);
    await days(7);
    expect(await at(check)).toBe(0);
    await world.pass(10 * MINUTE_MS);
    expect(await at(check)).toBe(8);
    expect(await Promise.all(keys.map(endOf))).toEqual(keys.map(() => ['idle']));
  });
});
