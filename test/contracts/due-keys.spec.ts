import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { endDueKeys, RecordDueEnds } from '#application/keys/record-due-ends.js';
import { dueNotices } from '#application/notices/notify-owners.js';
import type { ApiKey } from '#domain/keys/api-key.js';
import type { ApiKeyStatus } from '#domain/keys/key-status.js';
import type { DueNoticeType } from '#domain/notices/key-notice.js';
import { DAY_MS } from '#domain/time.js';
import { times } from '../support/application/calls.js';
import { change, eventsOf, newAccount, newKey, purge, revoke, rotate, type World } from './support/world.js';
import { WORLDS } from './support/worlds.js';

const DAYS = [30, 7, 1];

describe.each(WORLDS)('due notices %s', (_name, open) => {
  let world: World;
  beforeAll(async () => {
    world = await open();
  });
  afterAll(() => world?.close());

  const notify = (type: DueNoticeType, days: readonly number[], limit = 100) =>
    world.dueKeys.notify({ type, days, limit }, dueNotices(type, days));
  const expiries = (noticeDays = DAYS, limit?: number) => notify('api_key.expiring', noticeDays, limit);
  const rotations = (limit?: number) => notify('api_key.rotation_unused', [7], limit);
  const days = (count: number) => world.pass(count * DAY_MS);
  const aKey = async (expiresInDays = 90) => newKey(world, await newAccount(world), { expiresInDays });
  const seen = new Set<string>();
  /** The notices that were written since the last call. */
  const news = async () => {
    const fresh = (await world.notices()).filter(({ id }) => !seen.has(id));
    for (const { id } of fresh) seen.add(id);
    return fresh.map(({ type, data }) => ({ type, keyId: data.keyId, replaces: data.replacesKeyId }));
  };
  const expiring = (...keys: readonly ApiKey[]) =>
    keys.map(({ id }) => ({ type: 'api_key.expiring', keyId: id, replaces: undefined }));

  const leftDays = async (key: ApiKey) => (key.snapshot().expiresAt.getTime() - (await world.now()).getTime()) / DAY_MS;
  /** Clears what the previous tests left behind. */
  beforeEach(async () => {
    await days(400);
    await new RecordDueEnds(world.dueKeys, world.recordingGate).ofAll();
    await news();
  });

  describe('of a coming expiry', () => {
    test('are written once for each number of days, by the clock of the database', async () => {
      const key = await aKey();
      const sent: number[] = [];
      await days(60);
      for (const left of [30, 29, 8, 7, 6, 2, 1, 0]) {
        await world.pass(((await leftDays(key)) - left) * DAY_MS);
        if ((await expiries()) + (await expiries()) > 0) sent.push(left);
      }
      expect(sent).toEqual([30, 7, 1]);
      expect((await news()).slice(-1)).toEqual(expiring(key));
    });

    test('are written only for the smallest number of days that was reached since the last run', async () => {
      const key = await aKey();
      await days(84);
      expect([await expiries(), await expiries(), await news()]).toEqual([1, 0, expiring(key)]);
      expect(await expiries([30])).toBe(0);
      expect(await expiries([10, 6])).toBe(1);
      expect(await expiries()).toBe(0);
    });

    test('are not written while no days are set', async () => {
      await aKey();
      await days(89);
      expect([await expiries([]), await expiries()]).toEqual([0, 1]);
    });

    test('are not written for more than half of a lifetime', async () => {
      await aKey(13);
      const key = await aKey(14);
      await days(7);
      expect([await expiries(), await news()]).toEqual([1, expiring(key)]);
    });

    test('begin at the millisecond, and stop when the key ends', async () => {
      await aKey(2);
      await world.pass(DAY_MS - 1);
      expect(await expiries()).toBe(0);
      await world.pass(1);
      expect(await expiries()).toBe(1);
      const key = await aKey(2);
      await world.pass(2 * DAY_MS);
      expect(await expiries()).toBe(0);
      await world.pass(-1);
      expect([await expiries(), (await news()).slice(-1)]).toEqual([1, expiring(key)]);
    });

    test('are written only while the owner is active, also after a reactivation', async () => {
      const key = await aKey();
      await change(world, key.ownerId, (account) => account.suspend());
      const purged = await aKey();
      await purge(world, purged.ownerId);
      await days(62);
      expect(await expiries()).toBe(0);
      await days(22);
      await change(world, key.ownerId, (account, now) => account.reactivate(now));
      expect([await expiries(), await expiries(), await news()]).toEqual([1, 0, expiring(key)]);
    });

    test('are not written for keys that have ended, or that their successors will end', async () => {
      const [revoked, replaced, pending] = [await aKey(), await aKey(), await aKey()];
      await revoke(world, revoked);
      await days(60);
      await rotate(world, replaced, { graceSeconds: 600_000 });
      await rotate(world, pending, { graceSeconds: 600_000, isUsed: false });
      await news();
      expect([await expiries(), await news()]).toEqual([1, expiring(pending)]);
    });

    test('are written in batches, one for each key', async () => {
      const keys = [await aKey(), await aKey(), await aKey()];
      await days(89);
      const batch = () => expiries(DAYS, 2);
      expect([await batch(), await batch(), await batch()]).toEqual([2, 1, 0]);
      const sent = (await news()).map(({ keyId }) => keyId);
      expect(sent.toSorted()).toEqual(keys.map(({ id }) => id).sort());
    });

    test('are written once by several runs at the same time', async () => {
      const keys = await Promise.all(Array.from({ length: 8 }, () => aKey()));
      await days(89);
      await Promise.all(Array.from({ length: 5 }, () => expiries()));
      await expiries();
      const sent = (await news()).map(({ keyId }) => keyId);
      expect(sent.toSorted()).toEqual(keys.map(({ id }) => id).sort());
    });
  });

  describe('of an unused rotation', () => {
    test('are written once, seven days after it, with both keys', async () => {
      const key = await aKey();
      const successor = await rotate(world, key, { graceSeconds: 60, isUsed: false });
      await world.pass(7 * DAY_MS - 1);
      expect(await rotations()).toBe(0);
      await news();
      await world.pass(1);
      expect([await rotations(), await rotations()]).toEqual([1, 0]);
      const sent = { type: 'api_key.rotation_unused', keyId: successor.id, replaces: key.id };
      expect((await news()).filter(({ type }) => type === sent.type)).toEqual([sent]);
      await days(30);
      expect(await rotations()).toBe(0);
    });

    test('are written once by several runs at the same time, in batches', async () => {
      for (let made = 0; made < 5; made += 1) {
        await rotate(world, await aKey(), { graceSeconds: 60, isUsed: false });
      }
      await days(8);
      const first = await Promise.all(Array.from({ length: 3 }, () => rotations(2)));
      const rest = [await rotations(2), await rotations(2), await rotations(2)];
      expect([...first, ...rest].reduce((sum, count) => sum + count)).toBe(5);
    });

    test('are not written once the new key is used, either has ended, or the owner is not active', async () => {
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

describe.each(WORLDS)('due ends %s', (_name, open) => {
  let world: World;
  beforeAll(async () => {
    world = await open();
  });
  afterAll(() => world?.close());

  const dueEnds = () => new RecordDueEnds(world.dueKeys, world.recordingGate);
  const endKey = async ({ id }: ApiKey) => dueEnds().ofKey(id, await world.now());
  const endAll = async (ownerId: string) => dueEnds().ofOwner(ownerId, await world.now());
  const sweep = (limit: number) => world.dueKeys.endOldest(limit, endDueKeys);
  const list = (ownerId: string, status?: ApiKeyStatus) => world.keys.list({ ownerId, status }, undefined, 50);
  const stored = async ({ id }: ApiKey) => (await world.keys.find(id))!;

  describe('an expiry', () => {
    const events = (ownerId: string) => eventsOf(world, ownerId);

    test('is recorded once, from its millisecond on, with its event', async () => {
      const id = await newAccount(world);
      const key = await newKey(world, id);
      await world.pass(DAY_MS - 1);
      await endKey(key);
      expect([(await stored(key)).snapshot().expiredAt, await events(id)]).toEqual([null, []]);
      await world.pass(1);
      const now = await world.now();
      await endKey(key);
      await world.pass(5);
      await endKey(key);
      expect((await stored(key)).snapshot()).toEqual({ ...key.snapshot(), expiredAt: now });
      const noClient = {
        clientIp: null,
        userAgent: null,
        requestId: null,
        leak: null,
        previousName: null,
        note: null,
        actor: null,
      };
      expect(await events(id)).toEqual([
        {
          id: expect.any(String),
          type: 'api_key.expired',
          at: now,
          keyId: key.id,
          reason: null,
          count: 1,
          ...noClient,
        },
      ]);
    });

    test('is recorded for one key or one owner, and no other keys', async () => {
      const [id, other] = [await newAccount(world), await newAccount(world)];
      const [one, two] = [await newKey(world, id), await newKey(world, id)];
      const others = await newKey(world, other);
      const living = await newKey(world, id, { expiresInDays: 2 });
      await world.pass(DAY_MS);
      const recorded = async () =>
        Promise.all([one, two, others, living].map(async (key) => (await stored(key)).snapshot().expiredAt !== null));
      await endKey(one);
      expect(await recorded()).toEqual([true, false, false, false]);
      await endAll(id);
      expect(await recorded()).toEqual([true, true, false, false]);
      expect((await events(id)).map(({ keyId }) => keyId)).toEqual([one.id, two.id]);
    });

    test('is recorded as of the time at which it was read, when the clock is set back after that', async () => {
      const id = await newAccount(world);
      const [one, two] = [await newKey(world, id), await newKey(world, id)];
      await world.pass(DAY_MS);
      const readAt = await world.now();
      await world.pass(-DAY_MS);
      await dueEnds().ofKey(one.id, readAt);
      expect([(await stored(one)).snapshot().expiredAt, (await events(id)).length]).toEqual([readAt, 1]);
      await dueEnds().ofOwner(id, readAt);
      expect([(await stored(two)).snapshot().expiredAt, (await events(id)).length]).toEqual([readAt, 2]);
      await dueEnds().ofKey((await newKey(world, id)).id, await world.now());
      expect(await events(id)).toHaveLength(2);
      await world.pass(DAY_MS);
    });

    test('is not recorded for a revoked key', async () => {
      const id = await newAccount(world);
      const key = await newKey(world, id);
      await revoke(world, key);
      await world.pass(2 * DAY_MS);
      await endAll(id);
      expect([(await stored(key)).snapshot().expiredAt, await events(id)]).toEqual([null, []]);
    });

    test('is recorded once when twenty calls observe it', async () => {
      const id = await newAccount(world);
      const key = await newKey(world, id);
      await world.pass(DAY_MS);
      await Promise.all(times(20, (n) => (n % 2 ? endAll(id) : endKey(key))));
      expect(await events(id)).toHaveLength(1);
    });
  });

  describe('the end of a key whose successor is in use', () => {
    async function replaced(graceSeconds: number) {
      const id = await newAccount(world);
      const old = await newKey(world, id, { expiresInDays: 9 });
      await rotate(world, old, { graceSeconds });
      return { id, old };
    }

    test('is recorded once as of its time, with its event, also by a sweep', async () => {
      await dueEnds().ofAll();
      const { id, old } = await replaced(60);
      const endsAt = new Date((await world.now()).getTime() + 60_000);
      await world.pass(59_999);
      expect([await sweep(10), (await list(id, 'active')).items.length]).toEqual([0, 2]);
      await world.pass(5001);
      expect((await list(id, 'revoked')).items.map(({ key }) => key.id)).toEqual([old.id]);
      expect(await sweep(10)).toBe(1);
      await endKey(old);
      expect((await stored(old)).snapshot()).toMatchObject({ revokedAt: endsAt, expiredAt: null });
      const ended = (await eventsOf(world, id)).filter(({ type }) => type === 'api_key.revoked');
      expect(ended).toMatchObject([{ keyId: old.id, reason: 'rotated', at: await world.now(), clientIp: null }]);
    });

    test('is not recorded when the expiry comes first', async () => {
      const { id, old } = await replaced(7 * 86_400);
      await world.pass(10 * DAY_MS);
      await endAll(id);
      expect((await stored(old)).snapshot()).toMatchObject({ revokedAt: expect.any(Date), expiredAt: null });
      const short = await newKey(world, id);
      await rotate(world, short, { graceSeconds: 7 * 86_400 });
      await world.pass(DAY_MS);
      await endAll(id);
      expect((await stored(short)).snapshot()).toMatchObject({ revokedAt: null, expiredAt: await world.now() });
    });

    test('leaves one of the two keys to be counted, before and after', async () => {
      const { id } = await replaced(60);
      expect(await world.keys.count(id, await world.now())).toMatchObject({ activeKeys: 1 });
      await world.pass(60_000);
      expect(await world.keys.count(id, await world.now())).toMatchObject({ activeKeys: 1 });
    });
  });

  test('are swept for all owners, the oldest first, up to the limit, and counted', async () => {
    await world.pass(30 * DAY_MS);
    await dueEnds().ofAll();
    const [id, other] = [await newAccount(world), await newAccount(world)];
    const late = await newKey(world, id, { expiresInDays: 3 });
    const [early, middle] = [
      await newKey(world, other, { expiresInDays: 1 }),
      await newKey(world, id, { expiresInDays: 2 }),
    ];
    expect(await sweep(10)).toBe(0);
    await world.pass(3 * DAY_MS);
    expect(await sweep(2)).toBe(2);
    const ends = async () =>
      Promise.all([early, middle, late].map(async (key) => (await stored(key)).snapshot().expiredAt));
    const now = await world.now();
    expect(await ends()).toEqual([now, now, null]);
    expect([await sweep(2), await sweep(2)]).toEqual([1, 0]);
    expect(await ends()).toEqual([now, now, now]);
    expect((await eventsOf(world, id)).map(({ keyId }) => keyId)).toEqual([middle.id, late.id]);
    expect((await eventsOf(world, other)).map(({ type, keyId }) => [type, keyId])).toEqual([
      ['api_key.expired', early.id],
    ]);
  });

  test('are swept up to the limit, also for keys that have reached both ends', async () => {
    await dueEnds().ofAll();
    for (let made = 0; made < 3; made += 1) {
      const both = await newKey(world, await newAccount(world));
      await rotate(world, both, { graceSeconds: 60 });
      const replaced = await newKey(world, await newAccount(world), { expiresInDays: 9 });
      await rotate(world, replaced, { graceSeconds: 2 * 86_400 });
    }
    await world.pass(2 * DAY_MS);
    expect([await sweep(7), await sweep(7)]).toEqual([7, 2]);
  });
});
