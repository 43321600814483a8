import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { openOver, type Application } from '#test/support/application/application.js';
import { createDatabase } from '#test/support/stores/databases.mjs';
import { primaryAt } from '#test/support/stores/primary.js';
import { sql } from '#test/support/stores/sql.js';
import { PostgresKeyReader } from '../keys/key-reader.js';
import { createDataSource } from '../schema.js';
import { Database } from './database.js';
import { openDatabase } from '../open-database.js';

let owned: Awaited<ReturnType<typeof createDatabase>>;
beforeAll(async () => {
  owned = await createDatabase();
  const name = new URL(owned.url).pathname.slice(1);
  await sql(owned.url, `ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`);
});
afterAll(() => owned.drop());

const show = (setting: string) => async (manager: EntityManager) => {
  const [row] = await manager.query<Record<string, string>[]>(`SELECT current_setting('${setting}') AS value`);
  return row!['value'];
};
const isolation = show('transaction_isolation');

describe.each(['session', 'transaction'] as const)('a database with pooling by %s', (pooling) => {
  let app: Application;
  beforeAll(async () => {
    const primary = primaryAt(owned.url, { pooling });
    app = await openOver(await openDatabase(primary, 'lk'), primary);
  });
  afterAll(() => app.close());

  test('runs transactions at READ COMMITTED and snapshots at REPEATABLE READ, whatever the server’s default', async () => {
    expect(await app.database.transaction(isolation)).toBe('read committed');
    expect(await app.database.snapshot(isolation)).toBe('repeatable read');
  });

  test('does so on each of many connections that are opened at once', async () => {
    const all = await Promise.all(Array.from({ length: 10 }, () => app.database.transaction(isolation)));
    expect(new Set(all)).toEqual(new Set(['read committed']));
  });

  test.each([
    ['statement_timeout', '5s'],
    ['lock_timeout', '4s'],
    ['idle_in_transaction_session_timeout', '10s'],
  ])('limits every call by %s', async (limit, value) => {
    expect(await app.database.run(show(limit))).toBe(value);
    expect(await app.database.transaction(show(limit))).toBe(value);
    expect(await app.database.snapshot(show(limit))).toBe(value);
  });
});

test('leaves a pooled session as it was for the next user', async () => {
  const primary = primaryAt(owned.url, { pooling: 'transaction' });
  const dataSource = await openDatabase(primary, 'lk');
  await dataSource.readCommitted(async () => {});
  const left = `SELECT current_setting('lock_timeout') AS "lock", current_setting('default_transaction_isolation') AS isolation`;
  expect(await dataSource.query(left)).toEqual([{ lock: '0', isolation: 'serializable' }]);
  await dataSource.destroy();
});

test.each(['session', 'transaction'] as const)(
  'accepts a server without timelines as the primary, with pooling by %s',
  async (pooling) => {
    const AS_AURORA = `
      CREATE SCHEMA IF NOT EXISTS held;
      CREATE OR REPLACE FUNCTION held.pg_walfile_name(pg_lsn) RETURNS text LANGUAGE plpgsql
        AS $$ BEGIN RAISE EXCEPTION 'not supported' USING ERRCODE = 'feature_not_supported'; END $$`;
    await sql(owned.url, AS_AURORA);
    const url = `${owned.url}?options=-c%20search_path%3Dheld%2Cpg_catalog%2Cpublic`;
    const primary = primaryAt(url, { pooling });
    const database = new Database(await createDataSource(primary).initialize(), primary.config);
    const reader = new PostgresKeyReader(primary);
    expect(await database.transaction(isolation)).toBe('read committed');
    expect(await reader.read('0'.repeat(24))).not.toHaveProperty('found');
    await Promise.all([reader.close(), database.close()]);
  },
);
