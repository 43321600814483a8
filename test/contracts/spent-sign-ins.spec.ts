import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { times } from '../support/application/calls.js';
import type { World } from './support/world.js';
import { WORLDS } from './support/worlds.js';

const STRANGER = { name: '192.0.2.1', isKnown: false };

describe.each(WORLDS)('SpentSignIns %s', (_name, open) => {
  let world: World;
  beforeAll(async () => {
    world = await open();
  });
  afterAll(() => world?.close());

  test('spends each sign-in once', async () => {
    const [one, two] = [randomUUID(), randomUUID()];
    const spend = (state: string) => world.spentSignIns.spend(state, STRANGER);
    expect([await spend(one), await spend(two), await spend(one), await spend(one)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test('spends a sign-in once, even if it comes back many times at the same moment', async () => {
    const state = randomUUID();
    const spent = await Promise.all(times(50, () => world.spentSignIns.spend(state, STRANGER)));
    expect(spent.filter(Boolean)).toHaveLength(1);
  });
});
