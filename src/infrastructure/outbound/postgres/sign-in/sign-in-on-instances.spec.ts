import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import {
  client,
  eventsOf,
  newOwner,
  openApplication,
  openOnOwnDatabase,
  PASSWORD,
  tally,
  times,
  type Application,
  type OwnApplication,
} from '#test/support/application/application.js';
import { shortOrLong } from '#test/support/jest/long-form.js';

const HOME = '192.0.2.1';
const CROWD = 200;

let app: OwnApplication;
let other: Application;
beforeAll(async () => {
  app = await openOnOwnDatabase();
  other = await openApplication(app.databaseUrl);
});
afterAll(async () => {
  await other?.close();
  await app?.close();
});

const signIn = (email: string, password = PASSWORD, instance: Application = app) =>
  instance.signIn.execute(email, password, client());

describe('signing in', () => {
  test('opens a session of twelve hours for the account, on every instance', async () => {
    const { id, email } = await newOwner(app);
    const { token, expiresAt } = await signIn(email);
    const session = await other.identifyOwner.bySession(token, client());
    expect([session?.account.id, session?.expiresAt]).toEqual([id, expiresAt]);
    const [row] = await app.sql<{ hours: number }>(
      `SELECT extract(epoch FROM expires_at - now())::float / 3600 AS hours FROM sessions WHERE account_id = $1`,
      [id],
    );
    expect(row!.hours).toBeGreaterThan(11.9);
    expect(row!.hours).toBeLessThanOrEqual(12);
  });

  test('stores no token and gives each session its own', async () => {
    const { email } = await newOwner(app);
    const [one, two] = [await signIn(email), await signIn(email)];
    expect(one.token).not.toBe(two.token);
    const rows = await app.sql<{ text: string }>(`SELECT s::text AS text FROM sessions s`);
    const kept = rows.map(({ text }) => text).join('\n');
    for (const form of [one.token, Buffer.from(one.token, 'base64url').toString('hex')])
      expect(kept).not.toContain(form);
  });
});

describe('sign-ins that arrive together', () => {
  test('are all accepted while one renews the hash', async () => {
    for (let round = 0; round < shortOrLong(3, 10); round += 1) {
      const { id, email } = await newOwner(app);
      const calls = times(8, (n) => (n % 2 ? app : other).signIn.execute(email, PASSWORD, client(`192.0.2.${n}`)));
      expect(await tally(calls)).toEqual({ ok: 8 });
      expect(await eventsOf(app, id)).toEqual([]);
    }
  });
});

describe('a wrong guess', () => {
  test('is counted once for both of two instances', async () => {
    const { email } = await newOwner(app);
    const calls = times(40, (n) => signIn(email, 'wrong', n % 2 ? app : other));
    expect(await tally(calls)).toEqual({ invalid_credentials: 5, too_many_attempts: 35 });
  });
});

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
