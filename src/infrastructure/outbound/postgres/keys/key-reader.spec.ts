import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  createKey,
  newOwner,
  openApplication,
  times,
  type Application,
} from '../../../../../test/support/application.js';
import { createDatabase } from '../../../../../test/support/databases.mjs';
import { eventually } from '../../../../../test/support/eventually.js';
import type { PostgresKeyReader } from './key-reader.js';

let database: Awaited<ReturnType<typeof createDatabase>>;
let app: Application;
let reader: PostgresKeyReader;
beforeAll(async () => {
  database = await createDatabase();
  app = await openApplication(database.url);
  reader = app.reader;
});
afterAll(async () => {
  await app.close();
  await database.drop();
});

async function newKey(permissions: string[]) {
  const owner = await newOwner(app, { permissions });
  return (await createKey(app, owner.id, { name: 'Zoë’s "CI"' })).key.snapshot();
}

const connections = () =>
  app.sql<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'latchkey validation'`,
  );

test('reads a key and its owner as they were stored, to the millisecond', async () => {
  const key = await newKey(['systems:read', 'billing:write']);
  const { now, found } = await reader.read(key.publicPart);
  expect(found!.key.snapshot()).toEqual(key);
  expect(found!.owner).toEqual({ status: 'active', permissions: ['systems:read', 'billing:write'] });
  const [clock] = await app.sql<{ age: number }>(`SELECT extract(epoch FROM clock_timestamp())::float8 AS age`);
  expect(clock!.age * 1000 - now.getTime()).toBeLessThan(10_000);
});

test('reads an owner without permissions, and times of every millisecond', async () => {
  const key = await newKey([]);
  const [early, late] = [new Date('2026-01-01T00:00:00.001Z'), new Date('2026-12-31T23:59:59.999Z')];
  await app.sql(`UPDATE api_keys SET created_at = $2, expires_at = $3, expired_at = $3 WHERE id = $1`, [
    key.id,
    early,
    late,
  ]);
  const { found } = await reader.read(key.publicPart);
  expect(found!.owner.permissions).toEqual([]);
  expect(found!.key.snapshot()).toMatchObject({ createdAt: early, expiresAt: late, expiredAt: late, revokedAt: null });
});

test('one read answers all who ask together, the known and the unknown', async () => {
  const key = await newKey(['systems:read']);
  const asked = times(100, (n) => (n % 2 === 0 ? key.publicPart : randomUUID().replaceAll('-', '').slice(0, 24)));
  const readings = await Promise.all(asked.map((publicPart) => reader.read(publicPart)));
  expect(readings.map(({ found }) => found?.key.id)).toEqual(asked.map((_, n) => (n % 2 === 0 ? key.id : undefined)));
  expect(new Set(readings.map(({ found }) => found?.key).filter(Boolean)).size).toBe(50);
});

test('goes on by itself after a migration has changed a column that its statement reads', async () => {
  const key = await newKey(['systems:read']);
  const two = () =>
    Promise.all([reader.read(key.publicPart), new Promise(setImmediate).then(() => reader.read(key.publicPart))]);
  await two();
  const before = await connections();
  await app.sql(`ALTER TABLE api_keys ALTER COLUMN name TYPE varchar(100)`);
  for (let time = 0; time < 3; time += 1) {
    for (const { found } of await two()) expect(found!.key.id).toBe(key.id);
  }
  // PostgreSQL notices in its own time that a connection was dropped.
  await eventually(async () => (await connections()).every(({ pid }) => before.every((one) => one.pid !== pid)));
  await app.sql(`ALTER TABLE api_keys ALTER COLUMN name TYPE text`);
});
