import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import {
  client,
  createKey,
  newOwner,
  openOnOwnDatabase,
  openOver,
  outcomeOf,
  type OwnApplication,
} from '#test/support/application/application.js';
import { eventually } from '#test/support/eventually.js';
import { primaryAt } from '#test/support/stores/primary.js';
import { rowsRead } from '#test/support/stores/rows-read.js';
import type { CreatedApiKey } from '#application/keys/make-api-keys.js';
import { openDatabase } from '../open-database.js';
import { PostgresLeakReports } from './leak-reports.js';

let app: OwnApplication;
beforeAll(async () => {
  app = await openOnOwnDatabase();
});
afterAll(() => app?.close());
const holders: pg.Client[] = [];
afterEach(async () => {
  await Promise.all(holders.splice(0).map((holder) => holder.end()));
  await app.sql('TRUNCATE leak_reports');
});

const PLACE = { source: 'scanner', url: null };
const newKey = async () => createKey(app, (await newOwner(app)).id);
const report = (...texts: string[]) => app.reportLeakedKeys.byService([{ texts, ...PLACE }], 'gitlab', client());
const isRevoked = async ({ key }: CreatedApiKey) =>
  (await app.sql('SELECT FROM api_keys WHERE id = $1 AND revoked_at IS NOT NULL', [key.id])).length === 1;
const waiting = () =>
  app.sql<{ parts: string[]; tries: number }>('SELECT public_parts AS parts, tries FROM leak_reports');

/** A session with an open transaction, which ends with the test. */
async function begin(statement: string, values: unknown[] = []): Promise<pg.Client> {
  const holder = new pg.Client({ connectionString: app.databaseUrl });
  await holder.connect();
  holders.push(holder);
  await holder.query('BEGIN');
  await holder.query(statement, values);
  return holder;
}
const lockAccounts = (...keys: CreatedApiKey[]) =>
  begin('SELECT FROM accounts WHERE id = ANY ($1) FOR UPDATE', [keys.map(({ key }) => key.ownerId)]);

/** The service's transactions that wait for a lock, and those that wait for the service. */
const transactions = async () => {
  const [row] = await app.sql<{ blocked: number; idle: number }>(
    `SELECT count(*) FILTER (WHERE wait_event_type = 'Lock')::integer AS blocked,
       count(*) FILTER (WHERE state LIKE 'idle in%')::integer AS idle
     FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'latchkey'`,
  );
  return row!;
};

test('finishes other reports while three accounts are locked, and no transaction is open between the ends of keys', async () => {
  const stuck = [await newKey(), await newKey(), await newKey()];
  const [before, after] = [await newKey(), await newKey()];
  const holder = await lockAccounts(...stuck);
  for (const { fullKey } of [before, ...stuck]) await report(fullKey);
  const run = app.endReportedKeys.execute();
  await eventually(async () => (await transactions()).blocked === 3 && (await waiting()).length === 3);
  await report(after.fullKey);
  await eventually(async () => (await isRevoked(after)) && (await waiting()).length === 3);
  expect(await isRevoked(before)).toBe(true);
  // A transaction that stayed open between two ends would be idle until the last of them.
  await eventually(async () => {
    const { blocked, idle } = await transactions();
    return blocked === 3 && idle === 0;
  });
  await holder.query('COMMIT');
  expect(await run).toBe(5);
  expect(await waiting()).toEqual([]);
});

test('ends the other keys of a report while the account of one is locked, and that one in another turn', async () => {
  const [stuck, other] = [await newKey(), await newKey()];
  const primary = primaryAt(app.databaseUrl);
  // No other transaction waits for a lock here.
  const hurried = await openOver(await openDatabase(primary, 'lk', { limits: { lock_timeout: 100 } }), primary);
  const holder = await lockAccounts(stuck);
  await report(stuck.fullKey, other.fullKey);
  expect(await outcomeOf(hurried.endReportedKeys.execute())).toBe('unavailable');
  expect([await isRevoked(other), await waiting()]).toEqual([
    true,
    [{ parts: [stuck.key.snapshot().publicPart], tries: 1 }],
  ]);
  await holder.query('COMMIT');
  await eventually(async () => (await hurried.endReportedKeys.execute()) === 1);
  expect([await isRevoked(stuck), await waiting()]).toEqual([true, []]);
  await hurried.close();
});

test('reads no more of 20,000 waiting reports than it claims', async () => {
  await app.sql(`INSERT INTO leak_reports (public_parts, digests) SELECT '{}', '{}' FROM generate_series(1, 20000)`);
  await app.sql('ANALYZE leak_reports');
  // Each report is read when it is found and when it is claimed.
  expect(await rowsRead(app.database, (explained) => new PostgresLeakReports(explained).claim(4))).toBe(2 * 4);
});
