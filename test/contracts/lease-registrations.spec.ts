import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { World } from './support/world.js';
import { WORLDS } from './support/worlds.js';

describe.each(WORLDS)('LeaseRegistrations %s', (_name, open) => {
  let world: World;
  beforeAll(async () => {
    world = await open();
  });
  afterEach(async () => {
    for (const { id, fence } of await all()) {
      if (fence === null) await world.leaseRegistrations.fence(id, FENCE);
      await world.leaseRegistrations.delete(id, fence ?? FENCE);
    }
  });
  afterAll(() => world?.close());

  const [FENCE, OTHER_FENCE] = [randomUUID(), randomUUID()];
  const all = async () => (await world.leaseRegistrations.read()).registrations;
  const add = async (leaseMs = 2000) => {
    const id = randomUUID();
    await world.leaseRegistrations.add({ id, leaseMs });
    return id;
  };

  test('has each registration with the time at which it was added or renewed', async () => {
    expect(await world.leaseRegistrations.read()).toEqual({ registrations: [], now: await world.now() });
    const [one, other] = [await add(), await add(100)];
    const addedAt = await world.now();
    await world.pass(5000);
    expect(await world.leaseRegistrations.renew(one)).toBe(true);
    const { registrations, now } = await world.leaseRegistrations.read();
    expect(now).toEqual(await world.now());
    expect(new Set(registrations.map((each) => ({ ...each })))).toEqual(
      new Set([
        { id: one, leaseMs: 2000, renewedAt: now, fence: null },
        { id: other, leaseMs: 100, renewedAt: addedAt, fence: null },
      ]),
    );
  });

  test('adds a registration once', async () => {
    const id = await add();
    await world.leaseRegistrations.fence(id, FENCE);
    await world.leaseRegistrations.add({ id, leaseMs: 100 });
    expect(await all()).toMatchObject([{ id, leaseMs: 2000, fence: FENCE }]);
  });

  test('fences a registration once, and renews it no more', async () => {
    const id = await add();
    expect(await world.leaseRegistrations.fence(id, FENCE)).toBe(true);
    expect(await world.leaseRegistrations.fence(id, OTHER_FENCE)).toBe(false);
    expect(await all()).toMatchObject([{ id, fence: FENCE }]);
    expect(await world.leaseRegistrations.renew(id)).toBe(false);
  });

  test('deletes a registration only with its fence', async () => {
    const id = await add();
    await world.leaseRegistrations.delete(id, FENCE);
    expect(await all()).toMatchObject([{ id, fence: null }]);
    await world.leaseRegistrations.fence(id, FENCE);
    await world.leaseRegistrations.delete(id, OTHER_FENCE);
    expect(await all()).toHaveLength(1);
    await world.leaseRegistrations.delete(id, FENCE);
    expect(await all()).toEqual([]);
  });

  test('finds nothing to renew or to fence in a registration that is missing', async () => {
    const missing = randomUUID();
    expect(await world.leaseRegistrations.renew(missing)).toBe(false);
    expect(await world.leaseRegistrations.fence(missing, FENCE)).toBe(false);
  });
});
