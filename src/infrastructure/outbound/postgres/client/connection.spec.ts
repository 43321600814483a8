import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { eventually } from '#test/support/eventually.js';
import { createDatabase } from '#test/support/stores/databases.mjs';
import { SlowLine } from '#test/support/stores/slow-line.js';
import { sql } from '#test/support/stores/sql.js';
import { primaryAt } from '#test/support/stores/primary.js';
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

/** The state of a TCP connection as Linux lists it: 02 in the column of the timer is the keepalive of TCP. */
const timersTo = (port: number) =>
  readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((row) => row.trim().split(/\s+/))
    .filter(([, , remote, state]) => Number.parseInt(remote?.split(':')[1] ?? '', 16) === port && state === '01')
    .map((columns) => columns[5]!.split(':', 1)[0]);

test('its idle connections are kept alive, so that nothing between forgets them', async () => {
  await database.run(write('over one of them'));
  const port = Number(new URL(line.instead(owned.url)).port);
  expect(
    await eventually(async () => timersTo(port).length > 0 && timersTo(port).every((timer) => timer === '02')),
  ).toBe(true);
});
