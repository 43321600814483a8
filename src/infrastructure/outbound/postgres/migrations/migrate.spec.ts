import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { eventually } from '../../../../../test/support/eventually.js';
import { createDatabase } from '../../../../../test/support/stores/databases.mjs';
import { primaryAt } from '../../../../../test/support/stores/primary.js';
import { sql } from '../../../../../test/support/stores/sql.js';
import { dataSourceFor } from '../client/data-source.js';
import { migrateDatabase } from '../open-database.js';
import { createDataSource } from '../schema.js';
import { KeyNotices1764400000000 } from './1764400000000-key-notices.js';
import { CoveringPermissions1764610000000 } from './1764610000000-covering-permissions.js';
import { createIndex } from './create-index.js';
import { migrate } from './migrate.js';

class AddRemark1999000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE api_keys ADD COLUMN remark text`);
  }

  async down(): Promise<void> {}
}

class KeepLockTimeout1999000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE kept AS SELECT setting::integer AS ms FROM pg_settings WHERE name = 'lock_timeout'`,
    );
  }

  async down(): Promise<void> {}
}

class IndexEvents1999000000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndex(runner, { name: 'audit_events_by_reason', on: `audit_events (reason) WHERE reason IS NOT NULL` });
  }

  async down(): Promise<void> {}
}

let database: Awaited<ReturnType<typeof createDatabase>>;
let other: pg.Client;
let lines: string[];
beforeEach(async () => {
  database = await createDatabase();
  await migrateDatabase(primaryAt(database.url, { pooling: 'session' }));
  other = new pg.Client({ connectionString: database.url, application_name: 'pg_dump' });
  other.on('error', () => undefined);
  await other.connect();
  lines = [];
});
afterEach(async () => {
  await other.end();
  await database.drop();
});

/** Applies a throw-away migration, as an instance does when it starts. */
async function apply(migration: new () => MigrationInterface, settings: Parameters<typeof primaryAt>[1] = {}) {
  const primary = primaryAt(database.url, { pooling: 'session', ...settings });
  const source = await dataSourceFor(primary, { entities: [], migrations: [migration] }, {}).initialize();
  try {
    return await migrate(source, primary.config, (line) => void lines.push(line));
  } finally {
    await source.destroy();
  }
}

/** Fails if PostgreSQL has not answered after a minute, as when the statement waits behind the migration. */
async function answered(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: database.url, statement_timeout: 60_000 });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

const validity = () =>
  sql(database.url, `SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('audit_events_by_reason')`);
const isOtherNamed = () =>
  lines.some((line) => /^the migration \w+ waits for pg_dump \(pid \d+, role \w+\)/.test(line));

describe('a migration that needs the lock of a table', () => {
  test('stops no read while it waits for a long transaction, says what it waits for, and is applied after it', async () => {
    await other.query('BEGIN; SELECT count(*) FROM api_keys');
    const applied = apply(AddRemark1999000000000);
    await eventually(async () => {
      await answered('SELECT count(*) FROM api_keys');
      return lines.length >= 2;
    });
    expect(lines.slice(0, 2)).toEqual([
      expect.stringMatching(/waits for .*; trying again in 1 s$/),
      expect.stringMatching(/waits for .*; trying again in 2 s$/),
    ]);
    await eventually(async () => isOtherNamed());
    await other.query('COMMIT');
    expect(await applied).toEqual(['AddRemark1999000000000']);
    await answered('SELECT remark FROM api_keys');
  });

  test.each([
    [20, 10],
    [120, 60],
    [60_000, 60],
  ])('waits, with DATABASE_PATIENCE_MS=%s, at most %s ms at a time', async (timeoutMs, ms) => {
    await apply(KeepLockTimeout1999000000000, { timeoutMs });
    expect(await sql(database.url, 'SELECT ms FROM kept')).toEqual([{ ms }]);
  });

  test('fails at once with any other error', async () => {
    await sql(database.url, 'ALTER TABLE api_keys ADD COLUMN remark text');
    await expect(apply(AddRemark1999000000000)).rejects.toMatchObject({ code: '42701' });
    expect(lines).toEqual([]);
  });
});

describe('a migration that builds an index', () => {
  test('is applied by one of three instances, while its table is read and written', async () => {
    const write = `INSERT INTO audit_events (type) VALUES ('api_key.created')`;
    await other.query(`BEGIN; ${write}`);
    const starts = [1, 2, 3].map(() => apply(IndexEvents1999000000000));
    const waiting = () => lines.filter((line) => line === 'waiting for another instance, which migrates the database');
    await eventually(async () => waiting().length === 2 && isOtherNamed());
    await answered(write);
    await answered('SELECT count(*) FROM audit_events');
    await other.query('COMMIT');
    expect((await Promise.all(starts)).flat()).toEqual(['IndexEvents1999000000000']);
    expect(await validity()).toEqual([{ indisvalid: true }]);
  });

  test('drops the invalid index of an interrupted attempt, and builds it again', async () => {
    await other.query(`BEGIN; INSERT INTO audit_events (type) VALUES ('api_key.created')`);
    const broken = apply(IndexEvents1999000000000).catch((error: unknown) => error);
    await eventually(async () => isOtherNamed());
    await sql(
      database.url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity 
       WHERE datname = current_database() AND query LIKE 'CREATE INDEX CONCURRENTLY%'`,
    );
    expect(await broken).toBeInstanceOf(Error);
    expect(await validity()).toEqual([{ indisvalid: false }]);
    await other.query('COMMIT');
    expect(await apply(IndexEvents1999000000000)).toEqual(['IndexEvents1999000000000']);
    expect(await validity()).toEqual([{ indisvalid: true }]);
  });

  test('keeps an index that is complete, when the instance that built it ended before it recorded that', async () => {
    await apply(IndexEvents1999000000000);
    const oid = `SELECT 'audit_events_by_reason'::regclass::oid AS oid`;
    const before = await sql(database.url, oid);
    await sql(database.url, `DELETE FROM migrations WHERE name = 'IndexEvents1999000000000'`);
    expect(await apply(IndexEvents1999000000000)).toEqual(['IndexEvents1999000000000']);
    expect(await sql(database.url, oid)).toEqual(before);
  });
});

test('the migration of key notices keeps those that the previous release has sent', async () => {
  const keyId = '11111111-2222-4333-8444-555555555555';
  const source = await createDataSource(primaryAt(database.url, { pooling: 'session' })).initialize();
  await new KeyNotices1764400000000().down(source.createQueryRunner());
  await source.destroy();
  await sql(database.url, `DELETE FROM migrations WHERE name = 'KeyNotices1764400000000'`);
  await sql(database.url, `INSERT INTO told_notices VALUES ($1, 30, true), (gen_random_uuid(), NULL, false)`, [keyId]);
  expect(await migrateDatabase(primaryAt(database.url, { pooling: 'session' }))).toEqual(['KeyNotices1764400000000']);
  expect(await sql(database.url, 'SELECT * FROM key_notices ORDER BY type')).toEqual([
    { key_id: keyId, type: 'api_key.expiring', days: 30 },
    { key_id: keyId, type: 'api_key.rotation_unused', days: 7 },
  ]);
});

test('reports which permissions of an account cover another one of it from now on', async () => {
  await other.query(`
    INSERT INTO accounts (id, email, display_name, permissions, status, version) VALUES
      ('ada', '', '', '{systems:read,systems/42:read,systems/42:write,systems/42/disks:read}', 'active', 0),
      ('bob', '', '', '{systems:read,reports:read}', 'active', 0),
      ('cleo', '', '', '{systems/4:read,systems/42:read,a//b:read,a:read}', 'active', 0);
    DELETE FROM migrations WHERE name = 'CoveringPermissions1764610000000'`);
  expect(await apply(CoveringPermissions1764610000000)).toEqual(['CoveringPermissions1764610000000']);
  const pairs = 'systems:read now covers systems/42:read, systems:read now covers systems/42/disks:read';
  expect(lines).toEqual([`account ada: ${pairs}`]);
});
