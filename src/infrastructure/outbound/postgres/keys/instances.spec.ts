import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { openOnOwnDatabase, type OwnApplication } from '#test/support/application/application.js';
import { ChangeWaits } from '#application/change-waits.js';
import { eventually } from '#test/support/eventually.js';
import { PostgresInstances } from './instances.js';

let app: OwnApplication;
beforeAll(async () => {
  app = await openOnOwnDatabase();
});
beforeEach(() => app.sql('DELETE FROM instances'));
afterAll(() => app?.close());

const started = () => new PostgresInstances(app.database);
/** A second more than the limits, because the clock of a machine may be set back by a little. */
const age = (interval: string) => app.sql(`UPDATE instances SET renewed_at = now() - $1::interval`, [interval]);
const rows = () => app.sql<{ version: string; lease_ms: number; id: string }>('SELECT * FROM instances ORDER BY since');

test('each process has a row of its own, of which only the time of the renewal changes', async () => {
  const [one, two] = [started(), started()];
  await one.renew('0.2.0', 500);
  await two.renew('0.3.0', 0);
  const before = await rows();
  expect(before).toMatchObject([
    { version: '0.2.0', lease_ms: 500 },
    { version: '0.3.0', lease_ms: 0 },
  ]);
  await age('5 minutes');
  await one.renew('0.9.0', 2000);
  expect(await rows()).toMatchObject(before.map(({ id, version, lease_ms }) => ({ id, version, lease_ms })));
  const ages =
    'SELECT round(extract(epoch FROM now() - renewed_at) / 300)::integer AS fives FROM instances ORDER BY since';
  expect(await app.sql(ages)).toEqual([{ fives: 0 }, { fives: 1 }]);
  expect(await one.serving()).toEqual([
    { version: '0.2.0', leaseMs: 500, count: 1 },
    { version: '0.3.0', leaseMs: 0, count: 1 },
  ]);
});

test('a row that was deleted is inserted again, and rows that nobody renewed for a day are deleted', async () => {
  const [one, two] = [started(), started()];
  await one.renew('0.3.0', 500);
  await app.sql('DELETE FROM instances');
  await one.renew('0.3.0', 500);
  expect(await rows()).toHaveLength(1);
  await age('1 day 1 second');
  await two.renew('0.3.0', 100);
  expect(await rows()).toMatchObject([{ lease_ms: 100 }]);
});

test('the longest LEASE_MS counts for 15 minutes after the last renewal, also on a server whose clock is behind', async () => {
  const instances = started();
  expect(await instances.longestLeaseMs()).toBeUndefined();
  await instances.renew('0.3.0', 500);
  await started().renew('0.3.0', 200);
  for (const [interval, longest] of [
    ['14 minutes', 500],
    ['-1 hour', 500],
    ['15 minutes 1 second', undefined],
  ] as const) {
    await age(interval);
    expect([interval, await instances.longestLeaseMs()]).toEqual([interval, longest]);
  }
});

test('two hundred calls that wait hold neither a connection nor a lock, and are all cleared after that', async () => {
  const instances = started();
  await instances.renew('0.3.0', 500);
  await app.sql(
    `INSERT INTO accounts (id, email, email_key, display_name, permissions, status, version, unanswered)
     SELECT 'w' || n, '', NULL, 'Ann', '{}', 'active', 0, gen_random_uuid() FROM generate_series(1, 200) n`,
  );
  let waiting = 0;
  let end!: () => void;
  const over = new Promise<void>((resolve) => (end = resolve));
  const until = async (ms: number) => {
    // The first wait of each call is for leases.
    if (ms !== 550) return;
    waiting += 1;
    await over;
  };
  const accounts = new ChangeWaits(instances, undefined, { nowMs: () => 0, until }).answered(app.accounts);
  const calls = Array.from({ length: 200 }, (_, n) => accounts.transaction(`w${n + 1}`, async () => n));
  await eventually(async () => waiting === 200);
  const busy = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'`;
  expect(await app.sql(busy)).toEqual([]);
  end();
  expect(await Promise.all(calls)).toHaveLength(200);
  await eventually(async () => (await app.sql('SELECT FROM accounts WHERE unanswered IS NOT NULL')).length === 0);
});
