import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  client,
  newOwner,
  openOnOwnDatabase,
  PASSWORD,
  times,
  type OwnApplication,
} from '#test/support/application/application.js';
import { FakePasswords, fakeHash } from '#test/fakes/fake-passwords.js';
import { outcomeOf } from '#test/support/application/calls.js';
import { PostgresHousekeeping } from './housekeeping.js';

let app: OwnApplication;
beforeAll(async () => {
  app = await openOnOwnDatabase({ passwords: new FakePasswords() });
});
afterAll(() => app?.close());

const signIn = (email: string, ip: string, password = PASSWORD) =>
  outcomeOf(app.signIn.execute(email, password, client(ip)));
/** Moves everything counted so far this many milliseconds into the past. */
const pass = (interval: string) =>
  app.sql(
    `UPDATE password_guesses SET last_attempt_at = last_attempt_at - $1::interval,
      blocked_until = blocked_until - $1::interval, succeeded_at = succeeded_at - $1::interval`,
    [interval],
  );
const rows = async () =>
  (await app.sql<{ count: number }>('SELECT count(*)::integer AS count FROM password_guesses'))[0]!.count;
const clean = () => new PostgresHousekeeping(app.database).run();

test('keeps wrong guesses as long as they count, and correct sign-ins for 90 days', async () => {
  const { email } = await newOwner(app, { passwordHash: fakeHash(PASSWORD, 19_456) });
  expect(await signIn(email, '192.0.2.1')).toBe('ok');
  await clean();
  // After the correct password, only the network that it came from is kept.
  await pass('15 minutes');
  await clean();
  expect(await rows()).toBe(1);

  for (const guess of ['one', 'two', 'three']) {
    expect(await signIn('made-up@example.org', '192.0.2.2', guess)).toBe('invalid_credentials');
  }
  await pass('44 minutes');
  await clean();
  expect(await rows()).toBe(3);
  await pass('1 minute');
  await clean();
  expect(await rows()).toBe(1);
  await pass('89 days');
  await clean();
  expect(await rows()).toBe(1);
  await pass('1 day');
  await clean();
  expect(await rows()).toBe(0);
});

test('deletes the guesses of a flood of made-up emails after an hour', async () => {
  await Promise.all(times(40, (n) => signIn(`flood-${n}@example.org`, '192.0.2.3', 'x')));
  expect(await rows()).toBe(80);
  // More rows than one batch deletes.
  await app.sql(
    `INSERT INTO password_guesses (subject, failures, last_attempt_at)
    SELECT sha256(n::text::bytea), 1, clock_timestamp() FROM generate_series(1, 25000) n`,
  );
  await pass('1 hour');
  await clean();
  expect(await rows()).toBe(0);
});

test('remembers for an hour that a sign-in at the platform came back', async () => {
  const spend = () => app.spentSignIns.spend('a state', { name: '192.0.2.6', isKnown: false });
  const age = (interval: string) => app.sql(`UPDATE spent_sign_ins SET spent_at = spent_at - $1::interval`, [interval]);
  expect(await spend()).toBe(true);
  await age('59 minutes');
  await clean();
  expect(await spend()).toBe(false);
  // More rows than one batch deletes.
  await app.sql(
    `INSERT INTO spent_sign_ins (state, spent_at)
    SELECT sha256(n::text::bytea), clock_timestamp() FROM generate_series(1, 25000) n`,
  );
  await age('1 hour');
  await clean();
  expect(await app.sql('SELECT FROM spent_sign_ins')).toEqual([]);
});

test('keeps the report budget of a network until it is full again', async () => {
  const networks = async () =>
    (await app.sql<{ count: number }>('SELECT count(*)::integer AS count FROM leak_report_budgets'))[0]!.count;
  for (const ip of ['192.0.2.4', '192.0.2.5', '192.0.2.4']) {
    await app.reportLeakedKeys.byAnybody({ texts: [], source: null, url: null }, client(ip));
  }
  await clean();
  expect(await networks()).toBe(2);
  await app.sql(`UPDATE leak_report_budgets SET whole_at = whole_at - interval '1 minute'`);
  await clean();
  expect(await networks()).toBe(1);
});

describe('old rows of one table', () => {
  const TABLES = ['sessions', 'leak_report_budgets', 'password_guesses', 'outbox'];
  const oldRows = async () => {
    const counts = TABLES.map(
      (table) => `(SELECT count(*)::integer FROM ${table} WHERE ${IS_OURS[table]}) AS ${table}`,
    );
    return (await app.sql<Record<string, number>>(`SELECT ${counts.join()}`))[0]!;
  };
  const IS_OURS: Readonly<Record<string, string>> = {
    sessions: 'length(token_digest) < 10',
    leak_report_budgets: 'length(network) < 10',
    password_guesses: 'length(subject) < 10',
    outbox: `owner_id = 'old'`,
  };
  const addOld = async (count: number) => {
    const { id } = await newOwner(app, { passwordHash: fakeHash(PASSWORD, 19_456) });
    const from = `FROM generate_series(1, ${count}) AS n`;
    await app.sql(`INSERT INTO sessions SELECT n::text::bytea, '${id}', '2020-01-01' ${from}`);
    await app.sql(`INSERT INTO leak_report_budgets SELECT n::text::bytea, '2020-01-01' ${from}`);
    await app.sql(`INSERT INTO password_guesses SELECT n::text::bytea, 1, '2020-01-01', NULL, '2020-01-01' ${from}`);
    await app.sql(
      `INSERT INTO outbox (id, channel, type, owner_id, data, told_at, sequence, next_try_at, give_up_at)
       SELECT gen_random_uuid(), 'webhook', 'api_key.expired', 'old', '{}', '2020-01-01', n, '2020-01-01', '2020-01-01' ${from}`,
    );
  };
  const NONE = { sessions: 0, leak_report_budgets: 0, password_guesses: 0, outbox: 0 };

  test.each(TABLES)('that cannot be deleted delay no others: %s', async (table) => {
    await addOld(3);
    await app.sql(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
       CREATE TRIGGER refuse BEFORE DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    await expect(clean()).rejects.toThrow('refused');
    expect(await oldRows()).toEqual({ ...NONE, [table]: 3 });
    await app.sql('DROP FUNCTION refuse CASCADE');
    await clean();
    expect(await oldRows()).toEqual(NONE);
  });

  test('that are locked are skipped, and deleted in a later run', async () => {
    await addOld(3);
    await app.database.transaction(async (manager) => {
      for (const table of TABLES) {
        await manager.query(`SELECT FROM ${table} WHERE ${IS_OURS[table]} LIMIT 1 FOR UPDATE`);
      }
      await clean();
    });
    expect(await oldRows()).toEqual({ sessions: 1, leak_report_budgets: 1, password_guesses: 1, outbox: 1 });
    await clean();
    expect(await oldRows()).toEqual(NONE);
  });

  test('are deleted in batches of 10,000, one of each table in turn', async () => {
    await addOld(20_001);
    await app.sql(
      `CREATE TABLE deletions (id integer GENERATED ALWAYS AS IDENTITY, what text);
       CREATE FUNCTION count_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN INSERT INTO deletions (what) SELECT TG_TABLE_NAME || ' ' || count(*) FROM deleted; RETURN NULL; END $$;`,
    );
    for (const table of TABLES) {
      await app.sql(
        `CREATE TRIGGER count_deleted AFTER DELETE ON ${table} REFERENCING OLD TABLE AS deleted
         FOR EACH STATEMENT EXECUTE FUNCTION count_deleted()`,
      );
    }
    await clean();
    const order = (await app.sql<{ what: string }>('SELECT what FROM deletions ORDER BY id')).map(({ what }) => what);
    await app.sql('DROP FUNCTION count_deleted CASCADE; DROP TABLE deletions');
    const round = (count: number) => TABLES.map((table) => `${table} ${count}`);
    expect(order.filter((what) => !what.endsWith(' 0'))).toEqual([...round(10_000), ...round(10_000), ...round(1)]);
    expect(await oldRows()).toEqual(NONE);
  });
});
