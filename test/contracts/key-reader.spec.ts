import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { RecordDueEnds } from '#application/keys/record-due-ends.js';
import { DAY_MS } from '#domain/time.js';
import { times } from '../support/application/calls.js';
import { change, newAccount, newKey, revoke, type World } from './support/world.js';
import { WORLDS } from './support/worlds.js';

const READ = { operation: 'read', permission: '' } as const;

describe.each(WORLDS)('KeyReader %s', (_name, open) => {
  let world: World;
  beforeAll(async () => {
    world = await open();
  });
  afterAll(() => world?.close());

  async function made() {
    const id = await newAccount(world, { permissions: ['systems:read', 'billing:write', 'reports:read'] });
    const key = await newKey(world, id);
    const { publicPart } = key.snapshot();
    const verdict = async () => {
      const { found, now } = await world.keyReader.read(publicPart);
      return found!.verdictOn(READ, true, now);
    };
    return { id, key, publicPart, verdict };
  }

  test('reads what a verdict needs of a key and its owner, with the current time', async () => {
    const { id, key, publicPart, verdict } = await made();
    const calledAt = performance.now();
    const { now, sentAt, found } = await world.keyReader.read(publicPart);
    const { digest, createdAt, expiresAt } = key.snapshot();
    expect([found!.id, found!.ownerId, found!.proof.digest]).toEqual([key.id, id, digest]);
    expect(now).toEqual(await world.now());
    expect(sentAt).toBeGreaterThanOrEqual(calledAt);
    expect(sentAt).toBeLessThanOrEqual(performance.now());
    expect(await verdict()).toEqual({
      granted: true,
      keyId: key.id,
      ownerId: id,
      access: 'read-only',
      permissions: ['systems:read', 'reports:read'],
      attributes: [],
      createdAt,
      expiresAt,
    });
  });

  test('has the time of the database without a call, as of the last read', async () => {
    const { publicPart } = await made();
    await world.keyReader.read(publicPart);
    const aheadMs = world.databaseClock.now().getTime() - (await world.now()).getTime();
    expect(aheadMs).toBeGreaterThanOrEqual(0);
    expect(aheadMs).toBeLessThan(DAY_MS);
  });

  test('finds nothing for an unknown public part, and returns the time', async () => {
    const reading = await world.keyReader.read('0'.repeat(24));
    expect(reading).toEqual({ now: await world.now(), sentAt: expect.any(Number) });
  });

  test('sees every change that was answered before the call', async () => {
    const { id, key, verdict } = await made();
    for (const [become, reason] of [
      [() => change(world, id, (account) => account.suspend()), 'owner-suspended'],
      [() => change(world, id, (account) => account.delete()), 'owner-deleted'],
      [() => revoke(world, key), 'revoked'],
    ] as const) {
      await become();
      expect(await verdict()).toEqual({ granted: false, reason });
    }
  });

  test('reads the current permissions, also when there are none', async () => {
    const { id, verdict } = await made();
    for (const permissions of [['other:read'], []]) {
      await change(world, id, (account) =>
        account.update({ email: account.email, displayName: account.displayName, permissions }),
      );
      expect(await verdict()).toMatchObject({ granted: true, permissions });
    }
  });

  test('reads the current limits and attributes of the owner, and that there are none', async () => {
    const { id, publicPart, verdict } = await made();
    const service = { perSecond: 20, burst: 100 };
    const rate = async () => (await world.keyReader.read(publicPart)).found!.rateLimit(service);
    const attributes = [
      { name: 'tenant', value: 'Zoë’s "\\' },
      { name: 'plan', value: '' },
    ];
    expect([await rate(), (await verdict()) as object]).toMatchObject([service, { attributes: [] }]);
    await change(world, id, (account) => account.describe(attributes));
    expect([await rate(), (await verdict()) as object]).toMatchObject([service, { attributes }]);
    await change(world, id, (account) => account.limitKeys({ requestsPerSecond: 5, burst: 9 }));
    expect([await rate(), (await verdict()) as object]).toMatchObject([{ perSecond: 5, burst: 9 }, { attributes }]);
    await change(world, id, (account) => account.suspend());
    expect(await verdict()).toEqual({ granted: false, reason: 'owner-suspended' });
    await change(world, id, (account, now) => account.reactivate(now));
    expect([await rate(), (await verdict()) as object]).toMatchObject([{ perSecond: 5, burst: 9 }, { attributes }]);
    await change(world, id, (account) => account.limitKeys({}));
    await change(world, id, (account) => account.describe([]));
    expect([await rate(), (await verdict()) as object]).toMatchObject([service, { attributes: [] }]);
  });

  test('reads a read-and-write key as read-only from the moment on that its owner allows no more', async () => {
    const id = await newAccount(world, { permissions: ['systems:read', 'systems:write'] });
    const key = await newKey(world, id, { access: 'read-and-write' });
    const verdict = async () => {
      const { found, now } = await world.keyReader.read(key.snapshot().publicPart);
      return found!.verdictOn(READ, true, now);
    };
    const wide = { access: 'read-and-write', permissions: ['systems:read', 'systems:write'] };
    expect(await verdict()).toMatchObject(wide);
    await change(world, id, (account) => account.limitKeys({ maxAccess: 'read-only' }));
    expect(await verdict()).toMatchObject({ access: 'read-only', permissions: ['systems:read'] });
    await change(world, id, (account) => account.limitKeys({ maxAccess: 'read-and-write' }));
    expect(await verdict()).toMatchObject(wide);
  });

  test('reads a recorded expiry, whatever the clock shows', async () => {
    const { key, verdict } = await made();
    await world.pass(DAY_MS);
    await new RecordDueEnds(world.dueKeys, world.recordingGate).ofKey(key.id, await world.now());
    await world.pass(-DAY_MS);
    expect(await verdict()).toEqual({ granted: false, reason: 'expired' });
  });

  test('answers each of many concurrent calls with its own key', async () => {
    const keys = [await made(), await made(), await made()];
    const publicParts = times(40, (n) => keys[n % 4]?.publicPart ?? 'f'.repeat(24));
    const readings = await Promise.all(publicParts.map((publicPart) => world.keyReader.read(publicPart)));
    expect(readings.map(({ found }) => found?.id)).toEqual(times(40, (n) => keys[n % 4]?.key.id));
  });
});
