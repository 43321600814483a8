import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type Application,
  client,
  eventsOf,
  newOwner,
  openApplication,
  openOnOwnDatabase,
  type OwnApplication,
  PASSWORD,
  tally,
  times,
} from '#test/support/application/application.js';
import { shortOrLong } from '#test/support/jest/long-form.js';
import { sql } from '#test/support/stores/sql.js';
import { PostgresStoredCosts } from './stored-costs.js';

let app: OwnApplication;

describe('sign-in on two instances', () => {
  const HOME = '192.0.2.1';
  const CROWD = 200;
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
});

describe('StoredCosts', () => {
  beforeAll(async () => {
    app = await openOnOwnDatabase();
  });
  afterAll(() => app?.close());

  const hashAt = (kib: number) =>
    `$argon2id$v=19$m=${kib},t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g`;
  const read = () => new PostgresStoredCosts(app.database).read();
  const sorted = async () => (await read()).costs.toSorted((one, other) => (one.settings < other.settings ? -1 : 1));

  test('finds no costs before a password is stored', async () => {
    expect(await read()).toMatchObject({ costs: [] });
  });

  test('counts the accounts of each cost without reading a salt or a hash', async () => {
    await newOwner(app, { passwordHash: hashAt(8192) });
    await newOwner(app, { passwordHash: hashAt(8192) });
    await newOwner(app, { passwordHash: hashAt(19_456) });
    const [, last] = [await newOwner(app), await newOwner(app)];
    await app.sql(`UPDATE accounts SET password_hash = $1 WHERE id = $2`, [`$2y$10$${'.'.repeat(53)}`, last.id]);
    await app.sql(`INSERT INTO accounts SELECT 'none', 'n', 'n', '', '{}', NULL, 'active', 0`);
    expect(await sorted()).toEqual([
      { settings: '$2y$10', accounts: 1 },
      { settings: '$argon2id$v=19$m=1024,t=1,p=1', accounts: 1 },
      { settings: '$argon2id$v=19$m=19456,t=2,p=1', accounts: 1 },
      { settings: '$argon2id$v=19$m=8192,t=2,p=1', accounts: 2 },
    ]);
  });

  test('reads a random key of 32 bytes that stays the same and differs in another database', async () => {
    const { key } = await read();
    expect(key).toHaveLength(32);
    expect((await read()).key).toEqual(key);
    const elsewhere = await openOnOwnDatabase();
    try {
      expect((await new PostgresStoredCosts(elsewhere.database).read()).key).not.toEqual(key);
    } finally {
      await elsewhere.close();
    }
  });

  test('reads a sample of very many accounts', async () => {
    // Not over the application's connections, which time out a statement after five seconds.
    await sql(
      app.databaseUrl,
      `INSERT INTO accounts SELECT 'm' || n, 'm' || n, 'm' || n, '', '{}', $1 || n, 'active', 0 FROM generate_series(1, 300000) n`,
      [`$argon2id$v=19$m=4096,t=2,p=1$salt$`],
    );
    await sql(app.databaseUrl, 'ANALYZE accounts');
    const most = (await sorted()).find(({ settings }) => settings.includes('m=4096'))!;
    expect(most.accounts).toBeGreaterThan(70_000);
    expect(most.accounts).toBeLessThan(130_000);
  });
});
