import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { DeniedUse } from '#application/validation-ports.js';
import { DAY_MS, MINUTE_MS, dayText, utcDay } from '#domain/time.js';
import { MAX_NETWORKS } from '#domain/usage/key-networks.js';
import { change, newAccount, newKey, purge, type World } from './support/world.js';
import { openPostgresWorld } from './support/postgres-world.js';

describe('KeyUsage on PostgreSQL', () => {
  let world: World;
  let now: Date;
  beforeAll(async () => {
    world = await openPostgresWorld();
    now = await world.now();
  });
  afterAll(() => world?.close());

  const aKey = async () => (await newKey(world, await newAccount(world))).id;
  const history = (keyId: string) => world.usage.history(keyId, now);
  const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * MINUTE_MS);
  const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS);
  const grant = async (keyId: string, clientIp: string | null, at = now, service: string | null = null) => {
    world.usage.noteGrant(keyId, clientIp, service, at);
    await world.settled();
  };

  const denied = (clientIp: string, part: Partial<DeniedUse> = {}): DeniedUse => ({
    ...{ clientIp, service: 'gateway', reason: 'missing-permission', operation: 'write', permission: 'systems:write' },
    ...part,
  });

  describe('the last use', () => {
    const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second, 789));
    const lastUses = async (ownerId: string) => {
      const { items } = await world.keys.list({ ownerId }, undefined, 50);
      return new Map(items.map(({ key, lastUsedAt }) => [key.id, lastUsedAt]));
    };

    test('is the latest one noted for each key, in any order', async () => {
      const id = await newAccount(world);
      const [busy, other, idle] = [await newKey(world, id), await newKey(world, id), await newKey(world, id)];
      for (const [keyId, second] of [
        [busy.id, 5],
        [other.id, 1],
        [busy.id, 9],
        [busy.id, 7],
      ] as const) {
        world.usage.noteGrant(keyId, null, null, at(second));
      }
      world.usage.noteDenial(idle.id, at(1));
      await world.settled();
      expect(await lastUses(id)).toEqual(
        new Map([
          [busy.id, at(9)],
          [other.id, at(1)],
          [idle.id, null],
        ]),
      );
    });

    test('never goes back once it is stored', async () => {
      const id = await newAccount(world);
      const { id: keyId } = await newKey(world, id);
      for (const [noted, stored] of [
        [5, 5],
        [3, 5],
        [6, 6],
        [5, 6],
      ] as const) {
        world.usage.noteGrant(keyId, null, null, at(noted));
        await world.settled();
        expect((await lastUses(id)).get(keyId)).toEqual(at(stored));
      }
    });
  });

  describe('the last addresses', () => {
    test('are the last five, newest first, with the last service', async () => {
      const keyId = await aKey();
      for (const [minutes, ip, service] of [
        [9, '192.0.2.1', 'gateway'],
        [8, '192.0.2.2', 'gateway'],
        [7, '2001:DB8::1', null],
        [6, '192.0.2.3', 'gateway'],
        [5, '::ffff:192.0.2.4', 'gateway'],
        [4, '192.0.2.2', null],
        [3, '192.0.2.5', 'gateway, "the" second'],
        [2, '2001:db8:0::1', 'gateway'],
      ] as const) {
        await grant(keyId, ip, minutesAgo(minutes), service);
      }
      expect((await history(keyId)).uses).toEqual([
        { clientIp: '2001:db8::1', service: 'gateway', firstAt: minutesAgo(7), lastAt: minutesAgo(2) },
        { clientIp: '192.0.2.5', service: 'gateway, "the" second', firstAt: minutesAgo(3), lastAt: minutesAgo(3) },
        { clientIp: '192.0.2.2', service: null, firstAt: minutesAgo(8), lastAt: minutesAgo(4) },
        { clientIp: '192.0.2.4', service: 'gateway', firstAt: minutesAgo(5), lastAt: minutesAgo(5) },
        { clientIp: '192.0.2.3', service: 'gateway', firstAt: minutesAgo(6), lastAt: minutesAgo(6) },
      ]);
    });

    test('have their first and last time, in whatever order instances write them', async () => {
      const keyId = await aKey();
      for (const [minutes, service] of [
        [5, 'second'],
        [3, 'last'],
        [4, 'third'],
        [7, 'first'],
      ] as const) {
        await grant(keyId, '192.0.2.1', minutesAgo(minutes), service);
      }
      expect((await history(keyId)).uses).toEqual([
        { clientIp: '192.0.2.1', service: 'last', firstAt: minutesAgo(7), lastAt: minutesAgo(3) },
      ]);
    });

    test('are those of grants in the last 90 days, for each key separately', async () => {
      const [keyId, other] = [await aKey(), await aKey()];
      await grant(keyId, '192.0.2.1', daysAgo(90));
      await grant(keyId, '192.0.2.2', new Date(daysAgo(90).getTime() + 1));
      await grant(other, '192.0.2.3');
      world.usage.noteDenial(keyId, now);
      await world.settled();
      expect((await history(keyId)).uses).toMatchObject([{ clientIp: '192.0.2.2' }]);
    });

    test('have the last denial of each, with its reason and what was asked, also where nothing was granted', async () => {
      const keyId = await aKey();
      await grant(keyId, '192.0.2.1', minutesAgo(9), 'gateway');
      world.usage.noteDenial(keyId, minutesAgo(8), denied('192.0.2.1', { reason: 'rate-limited', permission: '' }));
      await world.settled();
      world.usage.noteDenial(keyId, minutesAgo(5), denied('192.0.2.1'));
      world.usage.noteDenial(keyId, minutesAgo(3), denied('192.0.2.2', { service: null }));
      world.usage.noteDenial(keyId, minutesAgo(2));
      await world.settled();
      const asked = { reason: 'missing-permission', operation: 'write', permission: 'systems:write' };
      const [first, second] = [minutesAgo(9), minutesAgo(3)];
      expect((await history(keyId)).uses.toSorted((one, other) => (one.clientIp < other.clientIp ? -1 : 1))).toEqual([
        {
          ...{ clientIp: '192.0.2.1', service: 'gateway', firstAt: first, lastAt: first },
          lastDenial: { at: minutesAgo(5), ...asked },
        },
        {
          ...{ clientIp: '192.0.2.2', service: null, firstAt: second, lastAt: second },
          lastDenial: { at: minutesAgo(3), ...asked },
        },
      ]);
    });

    test('are the last five of grants and denials together, with the latest denial in any order of writes', async () => {
      const keyId = await aKey();
      for (let n = 1; n <= 6; n += 1) {
        await grant(keyId, `192.0.2.${n}`, minutesAgo(20 - n));
        world.usage.noteDenial(keyId, minutesAgo(10 - n), denied(`198.51.100.${n}`));
        await world.settled();
      }
      const last = (await history(keyId)).uses.map(({ clientIp }) => clientIp);
      expect(last).toEqual([6, 5, 4, 3, 2].map((n) => `198.51.100.${n}`));
      await grant(keyId, '2001:db8::1', minutesAgo(1));
      for (const [minutes, reason] of [
        [3, 'expired'],
        [2, 'rate-limited'],
        [4, 'revoked'],
      ] as const) {
        world.usage.noteDenial(keyId, minutesAgo(minutes), denied('2001:DB8:0::1', { reason }));
        await world.settled();
      }
      const [newest] = (await history(keyId)).uses;
      expect(newest).toMatchObject({
        ...{ clientIp: '2001:db8::1', lastAt: minutesAgo(1) },
        lastDenial: { at: minutesAgo(2), reason: 'rate-limited' },
      });
    });

    test('leave out denials that are older than 90 days', async () => {
      const keyId = await aKey();
      world.usage.noteDenial(keyId, daysAgo(90), denied('192.0.2.1'));
      await grant(keyId, '192.0.2.2', daysAgo(1));
      expect((await history(keyId)).uses).toEqual([
        { clientIp: '192.0.2.2', service: null, firstAt: daysAgo(1), lastAt: daysAgo(1) },
      ]);
    });

    test('leaves out a grant without an address, which still is a use and counts', async () => {
      const id = await newAccount(world);
      const { id: keyId } = await newKey(world, id);
      await grant(keyId, null);
      const { uses, days } = await history(keyId);
      expect([uses, days]).toEqual([[], [{ day: expect.any(Number), granted: 1, refused: 0 }]]);
      expect((await world.keys.findListed(keyId, id))!.lastUsedAt).toEqual(now);
    });
  });

  test('of a lease is several grants at once, and of an unknown key none', async () => {
    const id = await newAccount(world);
    const { id: keyId } = await newKey(world, id);
    const unknown = randomUUID();
    const note = (ofKey: string, count: number) =>
      world.usage.noteGrant(ofKey, '192.0.2.1', 'billing', now, undefined, count);
    note(keyId, 5);
    note(unknown, 5);
    note(keyId, 2);
    await world.settled();
    const { uses: addresses, days } = await history(keyId);
    expect(addresses.at(-1)).toEqual({ clientIp: '192.0.2.1', service: 'billing', firstAt: now, lastAt: now });
    expect(days).toEqual([{ day: utcDay(now), granted: 7, refused: 0 }]);
    expect((await world.keys.findListed(keyId, id))!.lastUsedAt).toEqual(now);
    expect(await history(unknown)).toMatchObject({ uses: [], days: [], permissionUse: [] });
  });

  test('has each permission with its days and its count, the most used first', async () => {
    const keyId = await aKey();
    const yesterday = daysAgo(1);
    for (const [used, at] of [
      ['systems:read', now],
      ['logs:read', yesterday],
      ['logs:read', now],
      [undefined, now],
    ] as const) {
      world.usage.noteGrant(keyId, null, null, at, used);
      await world.settled();
    }
    world.usage.noteGrant(keyId, null, null, yesterday, 'systems:read', 5);
    await world.settled();
    const { permissionUse, permissionUseSince } = await history(keyId);
    const [today, before] = [utcDay(now), utcDay(yesterday)];
    expect(permissionUse.toSorted((one, other) => other.count - one.count)).toEqual([
      { used: 'systems:read', firstDay: before, lastDay: today, count: 6 },
      { used: 'logs:read', firstDay: before, lastDay: today, count: 2 },
      { used: 'unknown', firstDay: today, lastDay: today, count: 1 },
    ]);
    expect(today - permissionUseSince).toBeLessThanOrEqual(1);
  });

  test('has the permissions of a hundred, in any order of writes, and the rest in one', async () => {
    const keyId = await aKey();
    const expected = new Map<string, number>();
    for (const [from, to] of [
      [0, 60],
      [30, 90],
      [80, 130],
      [0, 130],
    ] as const) {
      for (let n = from; n < to; n += 1) {
        world.usage.noteGrant(keyId, null, null, now, `systems/${String(n).padStart(3, '0')}:read`);
      }
      await world.settled();
      for (let n = from; n < to; n += 1)
        expected.set(n < 100 ? `${n}` : 'rest', (expected.get(n < 100 ? `${n}` : 'rest') ?? 0) + 1);
    }
    const { permissionUse } = await history(keyId);
    expect(permissionUse).toHaveLength(101);
    const counted = permissionUse.map(
      ({ used, count }) => [/\d+/.test(used) ? `${Number(/\d+/.exec(used)![0])}` : 'rest', count] as const,
    );
    expect(new Map(counted)).toEqual(expected);
  });

  describe('the counts', () => {
    const counts = async (keyId: string) =>
      (await history(keyId)).days.map(({ day, granted, refused }) => [dayText(day), granted, refused]);

    test('add up by UTC day, oldest first, without empty days', async () => {
      const keyId = await aKey();
      const midnight = Date.parse('2026-03-27T00:00:00Z');
      for (const [ms, times] of [
        [0, 2],
        [-1, 3],
        [DAY_MS - 1, 4],
      ] as const) {
        for (let n = 0; n < times; n += 1) world.usage.noteGrant(keyId, '192.0.2.1', null, new Date(midnight + ms));
        world.usage.noteDenial(keyId, new Date(midnight + ms));
        await world.settled();
      }
      world.usage.noteDenial(keyId, now);
      await world.settled();
      expect(await counts(keyId)).toEqual([
        ['2026-03-26', 3, 1],
        ['2026-03-27', 6, 2],
        ['2026-03-29', 0, 1],
      ]);
    });

    test('cover 90 days, including today', async () => {
      const keyId = await aKey();
      for (const days of [0, 89, 90, 91]) world.usage.noteDenial(keyId, daysAgo(days));
      await world.settled();
      expect((await counts(keyId)).map(([day]) => day)).toEqual(['2025-12-30', '2026-03-29']);
    });
  });

  describe('a new network', () => {
    /** The notices of a key, in the order in which they were written. */
    const noticesOf = async (keyId: string) => {
      const claims = await world.outbox.claim('mail', 1000);
      const own = claims.filter(({ message }) => message.data.keyId === keyId);
      return own.map(({ message: { type, data } }) => [type, data.clientIp]);
    };
    const NEW = 'api_key.used_from_new_network';

    test('causes a notice, unless it is the first', async () => {
      const keyId = await aKey();
      for (const ip of ['192.0.2.1', '192.0.2.200', '::ffff:192.0.2.7']) await grant(keyId, ip, daysAgo(3));
      expect(await noticesOf(keyId)).toEqual([]);
      await grant(keyId, '198.51.100.7', daysAgo(2));
      expect(await noticesOf(keyId)).toEqual([[NEW, '198.51.100.7']]);
      for (const ip of ['198.51.100.8', '192.0.2.3', '198.51.100.7']) await grant(keyId, ip, daysAgo(1));
      expect(await noticesOf(keyId)).toEqual([]);
      await grant(keyId, '2001:db8:1:2::1', daysAgo(1));
      await grant(keyId, '2001:db8:1:2::2');
      expect(await noticesOf(keyId)).toEqual([[NEW, '2001:db8:1:2::1']]);
    });

    test('causes one notice a day, and one when it returns after more than 90 days', async () => {
      const keyId = await aKey();
      await grant(keyId, '192.0.2.1', daysAgo(200));
      await grant(keyId, '198.51.100.1', daysAgo(200));
      await grant(keyId, '203.0.113.1', daysAgo(200));
      await grant(keyId, '192.0.2.1', daysAgo(110));
      expect(await noticesOf(keyId)).toEqual([[NEW, '198.51.100.1']]);
      await grant(keyId, '203.0.113.1', daysAgo(109));
      expect(await noticesOf(keyId)).toEqual([[NEW, '203.0.113.1']]);
    });

    test('is known while it is used', async () => {
      const keyId = await aKey();
      await grant(keyId, '192.0.2.1', daysAgo(150));
      await grant(keyId, '198.51.100.1', daysAgo(120));
      await noticesOf(keyId);
      for (const days of [80, 20, 0]) await grant(keyId, '198.51.100.1', daysAgo(days));
      expect(await noticesOf(keyId)).toEqual([]);
    });

    test('causes one notice for the first of several that are written together', async () => {
      const keyId = await aKey();
      await grant(keyId, '192.0.2.1', daysAgo(1));
      world.usage.noteGrant(keyId, '198.51.100.2', null, minutesAgo(2));
      world.usage.noteGrant(keyId, '203.0.113.2', null, minutesAgo(1));
      await world.settled();
      expect(await noticesOf(keyId)).toEqual([[NEW, '198.51.100.2']]);
    });

    test('causes no notice above the limit, and the others stay known', async () => {
      const keyId = await aKey();
      for (let n = 0; n < MAX_NETWORKS; n += 1) {
        world.usage.noteGrant(keyId, `10.0.${n}.1`, null, daysAgo(2));
        // Between two writes only a few networks of a key are distinguished.
        if (n % 4 === 3) await world.settled();
      }
      await noticesOf(keyId);
      await grant(keyId, '192.0.2.1', daysAgo(1));
      await grant(keyId, '10.0.0.1');
      expect(await noticesOf(keyId)).toEqual([]);
    });

    test('is not derived from a missing address', async () => {
      const keyId = await aKey();
      await grant(keyId, '192.0.2.1', daysAgo(1));
      await grant(keyId, null);
      expect(await noticesOf(keyId)).toEqual([]);
    });
  });

  test('is deleted with a purged account, and not stored afterwards', async () => {
    const [id, otherId] = [await newAccount(world), await newAccount(world)];
    const [{ id: keyId }, { id: other }] = [await newKey(world, id), await newKey(world, otherId)];
    for (const one of [keyId, other]) {
      await grant(one, '192.0.2.1', daysAgo(1));
      world.usage.noteDenial(one, now, denied('192.0.2.1'));
    }
    world.usage.noteGrant(keyId, '198.51.100.1', null, now);
    await purge(world, id);
    await world.settled();
    await grant(keyId, '203.0.113.1');
    world.usage.noteDenial(keyId, now, denied('203.0.113.1'));
    await world.settled();
    expect(await history(keyId)).toMatchObject({ uses: [], days: [], permissionUse: [] });
    const notices = await world.outbox.claim('mail', 1000);
    expect(notices.map(({ message }) => message.data.keyId)).not.toContain(keyId);
    const kept = await history(other);
    expect([kept.uses.length, kept.days.length]).toEqual([1, 2]);
    await change(world, otherId, (account) => account.delete());
    expect((await history(other)).uses).toHaveLength(1);
  });
});
