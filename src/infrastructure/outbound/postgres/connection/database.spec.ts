import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { openApplication, type Application } from '../../../../../test/support/application/application.js';
import { createDatabase } from '../../../../../test/support/stores/databases.mjs';
import { primaryAt } from '../../../../../test/support/stores/primary.js';
import { sql } from '../../../../../test/support/stores/sql.js';
import { PostgresKeyReader } from '../keys/key-reader.js';
import { createDataSource } from './data-source.js';
import { Database } from './database.js';

let owned: Awaited<ReturnType<typeof createDatabase>>;
let app: Application;
beforeAll(async () => {
  owned = await createDatabase();
  const name = new URL(owned.url).pathname.slice(1);
  await sql(owned.url, `ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`);
  app = await openApplication(owned.url);
});
afterAll(async () => {
  await app.close();
  await owned.drop();
});

async function isolation(manager: EntityManager): Promise<string> {
  const [row] = await manager.query<{ transaction_isolation: string }[]>('SHOW transaction_isolation');
  return row!.transaction_isolation;
}

test('a transaction reads what is committed and a snapshot does not, whatever the server’s default is', async () => {
  expect(await app.database.transaction(isolation)).toBe('read committed');
  expect(await app.database.snapshot(isolation)).toBe('repeatable read');
});

test('so on every connection, of which many are opened at once', async () => {
  const all = await Promise.all(Array.from({ length: 10 }, () => app.database.transaction(isolation)));
  expect(new Set(all)).toEqual(new Set(['read committed']));
});

test('a server that knows no timelines, since its storage is replicated, is the primary while it accepts writes', async () => {
  const AS_AURORA = `
    CREATE SCHEMA held;
    CREATE FUNCTION held.pg_walfile_name(pg_lsn) RETURNS text LANGUAGE plpgsql
      AS $$ BEGIN RAISE EXCEPTION 'not supported' USING ERRCODE = 'feature_not_supported'; END $$`;
  await sql(owned.url, AS_AURORA);
  const primary = primaryAt(`${owned.url}?options=-c%20search_path%3Dheld%2Cpg_catalog%2Cpublic`);
  const database = new Database(await createDataSource(primary).initialize(), primary.config);
  const reader = new PostgresKeyReader(primary);
  expect(await database.transaction(isolation)).toBe('read committed');
  expect(await reader.read('0'.repeat(24))).not.toHaveProperty('found');
  await Promise.all([reader.close(), database.close()]);
});
