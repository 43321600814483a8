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

test('of a transaction that was given up in the middle nothing is carried out with what is asked next', async () => {
  const givenUp = database.transaction(async (manager) => {
    await write('half of it')(manager);
    line.hold('requests');
    await write('the other half')(manager);
  });
  await expect(givenUp).rejects.toMatchObject({ code: 'unavailable' });
  line.release();
  await database.run(write('asked next'));
  await database.transaction(write('asked last'));
  expect(await sql(owned.url, 'SELECT what FROM written')).toEqual([{ what: 'asked next' }, { what: 'asked last' }]);
});
