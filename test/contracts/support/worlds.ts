import { fakePorts } from '../../fakes/fake-application.js';
import { FakeStore } from '../../fakes/fake-store.js';
import { openPostgresWorld } from './postgres-world.js';
import type { World } from './world.js';

async function openFakeWorld(): Promise<World> {
  const store = new FakeStore();
  return {
    ...fakePorts(store),
    now: async () => store.now(),
    pass: async (ms) => store.pass(ms),
    settled: async () => {},
    close: async () => {},
  };
}

/**
 * The third says whether a suite tests on it what the fakes leave out as well: locks, what is not committed yet, what arrives
 * together, how much is kept for how long.
 */
export const WORLDS: [string, () => Promise<World>, boolean][] = [
  ['in memory', openFakeWorld, false],
  ['on PostgreSQL', openPostgresWorld, true],
];
