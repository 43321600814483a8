import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import {
  client,
  newOwner,
  openOnOwnDatabase,
  PASSWORD,
  tally,
  times,
  type OwnApplication,
} from '#test/support/application/application.js';

const HOME = '192.0.2.1';
const CROWD = 200;

let app: OwnApplication;
beforeAll(async () => {
  app = await openOnOwnDatabase();
});
afterAll(() => app?.close());

/** The highest counts seen until the work was done: connections of the pool in use, and calls that waited for one. */
async function mostOf(work: Promise<unknown>): Promise<{ used: number; waiting: number }> {
  const read = (name: string) => {
    const found = app.database.instruments().find((instrument) => instrument.name === name)!;
    return found.get().values[0]!.value;
  };
  let isOver = false;
  void work.finally(() => (isOver = true));
  const most = { used: 0, waiting: 0 };
  while (!isOver) {
    most.used = Math.max(most.used, read('latchkey_postgres_connections'));
    most.waiting = Math.max(most.waiting, read('latchkey_postgres_calls_waiting'));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return most;
}

test('sign-ins with made-up emails from many networks leave half of the connections free', async () => {
  const { email } = await newOwner(app);
  await app.signIn.execute(email, PASSWORD, client(HOME));
  const crowd = tally(
    times(CROWD, (n) => app.signIn.execute(`${randomUUID()}@example.org`, 'x', client(`10.0.0.${n}`))),
  );
  const most = mostOf(crowd);
  await app.signIn.execute(email, PASSWORD, client(HOME));
  expect((await most).waiting).toBe(0);
  // Two reads, three guesses being counted, and the connection that the owner's own sign-in needs.
  expect((await most).used).toBeLessThanOrEqual(6);
  // How many are refused depends on the machine.
  expect(['busy', 'invalid_credentials']).toEqual(expect.arrayContaining(Object.keys(await crowd)));
});
