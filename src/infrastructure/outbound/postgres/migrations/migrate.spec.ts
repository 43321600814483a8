import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { eventually } from '#test/support/eventually.js';
import { createDatabase } from '#test/support/stores/databases.mjs';
import { primaryAt } from '#test/support/stores/primary.js';
import { sql } from '#test/support/stores/sql.js';
import { SessionSource } from '../client/data-source.js';
import { examineDatabase } from '../examination.js';
import { connectMigrated, migrateDatabase, openDatabase } from '../open-database.js';
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
  const source = await new SessionSource(primary, { entities: [], migrations: [migration] }, {}).initialize();
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

describe('a database of', () => {
  const FIXTURE = new URL('version-0.2.0.sql', import.meta.url);
  const SCHEMA = String.raw`
    SELECT format('%s.%s %s %s %s %s', attrelid::regclass, attname, format_type(atttypid, atttypmod), attcollation::regcollation,
      attnotnull, coalesce(pg_get_expr(adbin, adrelid), attidentity::text)) AS what
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
      LEFT JOIN pg_attrdef ON (adrelid, adnum) = (attrelid, attnum)
    WHERE relnamespace = 'public'::regnamespace AND attnum > 0 AND NOT attisdropped
    UNION ALL SELECT format('%s %s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid), convalidated)
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT regexp_replace(pg_get_functiondef(oid), '\s+', ' ', 'g')
    FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    ORDER BY 1`;
  let old: typeof database;
  beforeEach(async () => {
    old = await createDatabase();
    await sql(old.url, readFileSync(FIXTURE, 'utf8'));
  });
  afterEach(() => old.drop());

  const primary = () => primaryAt(old.url, { pooling: 'session' });
  const rowsOf = async (table: string) => {
    const rows = await sql<{ row: object }>(old.url, `SELECT to_jsonb(t) AS row FROM ${table} t ORDER BY t::text`);
    return rows.map(({ row }) => row);
  };

  test('0.2.0 gets the tables of a new database, and keeps every row', async () => {
    const tables = await sql<{ name: string }>(
      old.url,
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
    );
    const before = await Promise.all(tables.map(async ({ name }) => [name, await rowsOf(name)] as const));
    await migrateDatabase(primary());
    expect(await sql(old.url, SCHEMA)).toEqual(await sql(database.url, SCHEMA));
    for (const [name, rows] of before) {
      expect(rows).not.toEqual([]);
      expect(await rowsOf(name)).toEqual(expect.arrayContaining(rows.map((row) => expect.objectContaining(row))));
    }
  });

  test.each([
    ['0.1.0', 'HashLookup1763800000000'],
    ['a build between 0.1.0 and 0.2.0', 'KeyNotes1764500000000'],
  ])('%s is refused and stays as it is: it has to be upgraded to 0.2.0 first', async (_version, last) => {
    await sql(old.url, `DELETE FROM migrations WHERE timestamp > $1`, [last.slice(-13)]);
    const [before, names] = [await sql(old.url, SCHEMA), await rowsOf('migrations')];
    const why = 'the tables are older than those of 0.2.0: upgrade to 0.2.0 first, then to this version';
    for (const use of [migrateDatabase, (on: ReturnType<typeof primary>) => openDatabase(on, 'lk')])
      await expect(use(primary())).rejects.toMatchObject({ message: `DATABASE_URL: ${why}` });
    await expect(connectMigrated(primary(), false)).rejects.toMatchObject({ message: `DATABASE_URL: ${why}` });
    expect((await examineDatabase(primary())).tooOld).toBe(why);
    expect([await sql(old.url, SCHEMA), await rowsOf('migrations')]).toEqual([before, names]);
  });
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
