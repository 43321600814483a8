import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { openApplication, type Application } from '../../../../../test/support/application/application.js';
import { createDatabase } from '../../../../../test/support/stores/databases.mjs';
import { sql } from '../../../../../test/support/stores/sql.js';

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
