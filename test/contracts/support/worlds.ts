import { fakePorts } from '#test/fakes/fake-application.js';
import { FakeStore } from '#test/fakes/fake-store.js';
import { openPostgresWorld } from './postgres-world.js';
import type { World } from './world.js';

async function openFakeWorld(): Promise<World> {
  const store = new FakeStore();
  return {
    ...fakePorts(store),
    notices: async () => [...store.outbox.values()].filter(({ channel }) => channel === 'webhook'),
    now: async () => store.now(),
    pass: async (ms) => store.pass(ms),
    settled: async () => {},
    close: async () => {},
  };
}

/**
 * The third value: whether a suite also tests what the fakes leave out: locks, uncommitted data, concurrent calls,
 * retention.
 */
export const WORLDS: [string, () => Promise<World>, boolean][] = [
  ['in memory', openFakeWorld, false],
  ['on PostgreSQL', openPostgresWorld, true],
];
