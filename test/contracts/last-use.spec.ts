import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newAccount, newKey, type World } from './support/world.js';
import { WORLDS } from './support/worlds.js';

describe.each(WORLDS)('LastUse %s', (_name, open) => {
  let world: World;
  beforeAll(async () => {
    world = await open();
  });
  afterAll(() => world?.close());

  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second, 789));
  const lastUses = async (ownerId: string) => {
    const { items } = await world.keys.list(ownerId, undefined, { limit: 50 });
    return new Map(items.map(({ key, lastUsedAt }) => [key.id, lastUsedAt]));
  };

  test('of each key is the last that was noted, in whatever order', async () => {
    const id = await newAccount(world);
    const [busy, other, idle] = [await newKey(world, id), await newKey(world, id), await newKey(world, id)];
    for (const [keyId, second] of [
      [busy.id, 5],
      [other.id, 1],
      [busy.id, 9],
      [busy.id, 7],
    ] as const) {
      world.lastUse.note(keyId, at(second));
    }
    await world.settled();
    expect(await lastUses(id)).toEqual(
      new Map([
        [busy.id, at(9)],
        [other.id, at(1)],
        [idle.id, null],
      ]),
    );
  });

  test('never goes backwards once it is stored', async () => {
    const id = await newAccount(world);
    const { id: keyId } = await newKey(world, id);
    for (const [noted, stored] of [
      [5, 5],
      [3, 5],
      [6, 6],
      [5, 6],
    ] as const) {
      world.lastUse.note(keyId, at(noted));
      await world.settled();
      expect((await lastUses(id)).get(keyId)).toEqual(at(stored));
    }
  });
});
