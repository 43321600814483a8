import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import {
  client,
  createKey,
  newOwner,
  openApplication,
  rotateKey,
  times,
  type Application,
} from '#test/support/application/application.js';
import { createDatabase } from '#test/support/stores/databases.mjs';
import { eventually } from '#test/support/eventually.js';
import { primaryAt } from '#test/support/stores/primary.js';
import { SlowLine } from '#test/support/stores/slow-line.js';
import { PostgresKeyReader } from './key-reader.js';
import { readKeys } from './read-keys.js';

let database: Awaited<ReturnType<typeof createDatabase>>;
let app: Application;
let reader: PostgresKeyReader;
beforeAll(async () => {
  database = await createDatabase();
  app = await openApplication(database.url);
  reader = app.keyReader;
});
afterAll(async () => {
  await app.close();
  await database.drop();
});

const READ = { operation: 'read', permission: '' } as const;

async function newKey(permissions: string[]) {
  const owner = await newOwner(app, { permissions });
  return (await createKey(app, owner.id, { name: 'Zoë’s "CI"' })).key.snapshot();
}

const connections = () =>
  app.sql<{ pid: number; waits: boolean }>(
    `SELECT pid, wait_event_type = 'Lock' AS waits FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'latchkey validation'`,
  );

test('reads a key and its owner as they were stored, to the millisecond', async () => {
  const key = await newKey(['systems:read', 'billing:write']);
  const { now, found } = await reader.read(key.publicPart);
  expect(found!.proof.digest).toEqual(key.digest);
  expect(found!.verdictOn(READ, true, now)).toEqual({
    granted: true,
    keyId: key.id,
    ownerId: key.ownerId,
    access: key.access,
    permissions: ['systems:read', 'billing:write'],
    attributes: [],
    createdAt: key.createdAt,
    expiresAt: key.expiresAt,
  });
  const [clock] = await app.sql<{ age: number }>(`SELECT extract(epoch FROM clock_timestamp())::float8 AS age`);
  expect(clock!.age * 1000 - now.getTime()).toBeLessThan(10_000);
});

test('finds a key by its index, also in a table that is small enough to be read whole', async () => {
  const key = await newKey(['systems:read']);
  const db = new pg.Client({ connectionString: database.url });
  await db.connect();
  try {
    await db.query('BEGIN');
    await db.query(
      `INSERT INTO api_keys SELECT (jsonb_populate_record(k, jsonb_build_object('id', gen_random_uuid(),
        'public_part', left(md5(n::text), 24)))).* FROM api_keys k, generate_series(1, 1000) AS n WHERE k.id = $1`,
      [key.id],
    );
    await db.query('ANALYZE api_keys, accounts');
    await db.query('SET LOCAL plan_cache_mode = force_generic_plan');
    await db.query(`PREPARE read AS ${readKeys({ readBarrier: false, pooling: 'session' }).text}`);
    const { rows } = await db.query<{ 'QUERY PLAN': string }>(`EXPLAIN EXECUTE read('${key.publicPart}')`);
    const scans = rows.map((row) => row['QUERY PLAN']).filter((line) => line.includes('api_keys'));
    expect(scans).toEqual([expect.stringContaining('Index Scan using api_keys_by_public_part')]);
  } finally {
    await db.query('ROLLBACK');
    await db.end();
  }
});

test('reads an owner without permissions, and times of every millisecond', async () => {
  const key = await newKey([]);
  const [early, late] = [new Date('2026-01-01T00:00:00.001Z'), new Date('2126-12-31T23:59:59.999Z')];
  await app.sql(`UPDATE api_keys SET created_at = $2, expires_at = $3 WHERE id = $1`, [key.id, early, late]);
  const { found, now } = await reader.read(key.publicPart);
  expect(found!.verdictOn(READ, true, now)).toMatchObject({ permissions: [], createdAt: early, expiresAt: late });
});

test('reads the digest of a key in a pooled session with another bytea_output', async () => {
  const key = await newKey(['systems:read']);
  const name = new URL(database.url).pathname.slice(1);
  await app.sql(`ALTER DATABASE ${name} SET bytea_output = 'escape'`);
  const pooled = new PostgresKeyReader(primaryAt(database.url, { pooling: 'transaction' }));
  try {
    const { found } = await pooled.read(key.publicPart);
    expect(found!.proof.digest).toEqual(key.digest);
  } finally {
    await pooled.close();
    await app.sql(`ALTER DATABASE ${name} RESET bytea_output`);
  }
});

test('reads that a key or its owner has ended, regardless of the clock', async () => {
  const [expired, revoked] = [await newKey([]), await newKey([])];
  await app.sql(`UPDATE api_keys SET expired_at = now() WHERE id = $1`, [expired.id]);
  await app.sql(`UPDATE api_keys SET revoked_at = now() WHERE id = $1`, [revoked.id]);
  const verdictOn = async ({ publicPart }: { publicPart: string }) => {
    const { found, now } = await reader.read(publicPart);
    return found!.verdictOn(READ, true, now);
  };
  expect(await verdictOn(expired)).toEqual({ granted: false, reason: 'expired' });
  expect(await verdictOn(revoked)).toEqual({ granted: false, reason: 'revoked' });
  for (const status of ['suspended', 'deleted'] as const) {
    const { publicPart, ownerId } = await newKey(['systems:read']);
    await app.sql(`UPDATE accounts SET status = $2 WHERE id = $1`, [ownerId, status]);
    expect(await verdictOn({ publicPart })).toEqual({ granted: false, reason: `owner-${status}` });
  }
});

test('answers calls that arrive together with one read, for known and unknown keys', async () => {
  const key = await newKey(['systems:read']);
  const publicParts = times(100, (n) => (n % 2 === 0 ? key.publicPart : randomUUID().replaceAll('-', '').slice(0, 24)));
  const readings = await Promise.all(publicParts.map((publicPart) => reader.read(publicPart)));
  expect(readings.map(({ found }) => found?.id)).toEqual(publicParts.map((_, n) => (n % 2 === 0 ? key.id : undefined)));
  // All calls of a batch share its result. There may have been two batches, one on each connection.
  expect(new Set(readings.map(({ found }) => found).filter(Boolean)).size).toBeLessThanOrEqual(2);
});

test('keeps working after a migration has changed a column that its statement reads', async () => {
  const key = await newKey(['systems:read']);
  const ofSessions = new PostgresKeyReader(primaryAt(database.url, { pooling: 'session' }));
  const read = () => ofSessions.read(key.publicPart);
  const two = () => Promise.all([read(), new Promise(setImmediate).then(read)]);
  // A lock blocks the reads until both connections run the statement, so that both have prepared it.
  const locker = new pg.Client({ connectionString: database.url });
  await locker.connect();
  await locker.query('BEGIN; LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE');
  const reading = two();
  const waiting = async () => (await connections()).filter(({ waits }) => waits);
  await eventually(async () => (await waiting()).length === 2);
  const before = await waiting();
  await locker.query('ROLLBACK');
  await locker.end();
  await reading;
  await app.sql(`ALTER TABLE api_keys ALTER COLUMN access TYPE varchar(20)`);
  for (let time = 0; time < 3; time += 1) {
    for (const { found } of await two()) expect(found!.id).toBe(key.id);
  }
  // PostgreSQL takes a while to notice that a connection was dropped.
  await eventually(async () => (await connections()).every(({ pid }) => before.every((one) => one.pid !== pid)));
  await app.sql(`ALTER TABLE api_keys ALTER COLUMN access TYPE varchar(14)`);
  await ofSessions.close();
});

test.each([0, 1])('reads every earlier change while an older read is under way, with %i more', async (more) => {
  const key = await newKey(['systems:read']);
  const line = await SlowLine.to(database.url);
  const slow = new PostgresKeyReader(primaryAt(line.instead(database.url)));
  const granted = async (publicPart: string) => {
    const { found, now } = await slow.read(publicPart);
    return found?.verdictOn(READ, true, now).granted;
  };
  try {
    await slow.open();
    line.hold('answers');
    const others = times(more, () => granted('f'.repeat(24)));
    await eventually(async () => line.heldPackets === more);
    const early = granted(key.publicPart);
    // The server has read the key in its old state, and the answer is on its way.
    await eventually(async () => line.heldPackets === more + 1);
    await app.sql(`UPDATE api_keys SET revoked_at = now() WHERE id = $1`, [key.id]);
    const late = granted(key.publicPart);
    line.release();
    expect(await Promise.all([early, late, ...others])).toEqual([true, false, ...times(more, () => undefined)]);
  } finally {
    line.close();
    await slow.close();
  }
});

test('reads over a new connection after 20 idle seconds in which something on the way forgot the others', async () => {
  const key = await newKey(['systems:read']);
  const line = await SlowLine.to(database.url);
  const idle = new PostgresKeyReader(primaryAt(line.instead(database.url)));
  const clock = jest.spyOn(performance, 'now');
  const pass = (ms: number) => {
    // A whole number, so that the sum of two is exact.
    const now = Math.ceil(performance.now()) + ms;
    clock.mockImplementation(() => now);
  };
  const read = async () => (await idle.read(key.publicPart)).found?.id;
  try {
    await idle.open();
    pass(20_000);
    // What still works is used again.
    expect([await read(), line.connections]).toEqual([key.id, 2]);
    pass(20_000);
    line.forget();
    expect([await read(), line.connections]).toEqual([key.id, 3]);
    line.hold('answers');
    // Slow, but in use until now: so it is waited for.
    const slow = read();
    await eventually(async () => line.heldPackets >= 1);
    pass(20_000);
    line.release();
    expect([await slow, line.connections]).toEqual([key.id, 3]);
  } finally {
    clock.mockRestore();
    line.close();
    await idle.close();
  }
});

test('reads the longest LEASE_MS and the grace of a successor in the same statement, if it gives leases', async () => {
  const owner = await newOwner(app);
  const { key } = await createKey(app, owner.id);
  const { publicPart } = key.snapshot();
  const leasing = new PostgresKeyReader(primaryAt(database.url), undefined, 'validation', true);
  const forLease = async () => (await leasing.read(publicPart)).forLease;
  const serving = (leaseMs: number, renewed: string) =>
    app.sql(
      `INSERT INTO instances (id, version, lease_ms, since, renewed_at)
       VALUES (gen_random_uuid(), '1', $1, now(), now() - $2::interval)`,
      [leaseMs, renewed],
    );
  try {
    expect(await reader.read(publicPart)).not.toHaveProperty('forLease');
    await app.sql('DELETE FROM instances');
    expect(await forLease()).toEqual({ longestLeaseMs: null, graceSeconds: null });
    await serving(2000, '10 minutes');
    expect(await forLease()).toMatchObject({ longestLeaseMs: null });
    for (const leaseMs of [0, 500, 200]) await serving(leaseMs, '9 minutes');
    expect(await forLease()).toMatchObject({ longestLeaseMs: 500 });
    const { fullKey } = await rotateKey(app, key, { graceSeconds: 60 });
    expect(await forLease()).toMatchObject({ graceSeconds: 60 });
    await app.validateKey.execute({ credential: fullKey, question: READ, client: client() });
    expect(await forLease()).toMatchObject({ graceSeconds: null });
  } finally {
    await leasing.close();
  }
});
