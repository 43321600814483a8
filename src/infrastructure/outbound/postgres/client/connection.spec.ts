import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { createDatabase } from '../../../../../test/support/stores/databases.mjs';
import { SlowLine } from '../../../../../test/support/stores/slow-line.js';
import { sql } from '../../../../../test/support/stores/sql.js';
import { primaryAt } from '../../../../../test/support/stores/primary.js';
import { createDataSource } from '../schema.js';
import { Database } from './database.js';

let owned: Awaited<ReturnType<typeof createDatabase>>;
let line: SlowLine;
let database: Database;
beforeAll(async () => {
  owned = await createDatabase();
  line = await SlowLine.to(owned.url);
  await sql(owned.url, 'CREATE TABLE written (what text)');
  const limits = { answerTimeoutMs: 100 };
  const primary = primaryAt(line.instead(owned.url));
  database = new Database(await createDataSource(primary, limits).initialize(), primary.config);
});
afterAll(async () => {
  await database.close();
  line.close();
  await owned.drop();
});

const write = (what: string) => (manager: EntityManager) => manager.query('INSERT INTO written VALUES ($1)', [what]);

test('a later call does not commit any part of a transaction that timed out', async () => {
  const givenUp = database.transaction(async (manager) => {
    await write('half of it')(manager);
    line.hold('requests');
    await write('the other half')(manager);
  });
  await expect(givenUp).rejects.toMatchObject({ code: 'unavailable' });
  line.release();
  await database.run(write('the next call'));
  await database.transaction(write('the last call'));
  expect(await sql(owned.url, 'SELECT what FROM written')).toEqual([
    { what: 'the next call' },
    { what: 'the last call' },
  ]);
});
