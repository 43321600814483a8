import { expect, test } from '@jest/globals';
import { appliedMigrations } from '#infrastructure/outbound/postgres/migrations/migrate.js';
import { connectAny, openDatabase } from '#infrastructure/outbound/postgres/open-database.js';
import { createDatabase } from '../support/stores/databases.mjs';
import { primaryAt } from '../support/stores/primary.js';
import { sql } from '../support/stores/sql.js';

test('instances that start together on an empty database migrate it once, and all of them start', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { url, drop } = await createDatabase();
    const opened = await Promise.all([1, 2, 3].map(() => openDatabase(primaryAt(url), 'lk')));
    const [{ count }] = await opened[0]!.query<[{ count: string }]>('SELECT count(*) FROM migrations');
    expect(Number(count)).toBe(opened[0]!.migrations.length);
    await Promise.all(opened.map((dataSource) => dataSource.destroy()));
    await drop();
  }
});

test('what another instance has applied is seen in a transaction that began before', async () => {
  const { url, drop } = await createDatabase();
  const own = await connectAny(primaryAt(url));
  const runner = own.createQueryRunner();
  // PostgreSQL remembers in each session that a name is unknown.
  expect(await appliedMigrations(runner)).toEqual([]);
  await runner.startTransaction();
  await sql(url, `CREATE TABLE migrations AS SELECT 'First' AS name`);
  expect(await appliedMigrations(runner)).toEqual(['First']);
  await runner.rollbackTransaction();
  await runner.release();
  await own.destroy();
  await drop();
});
