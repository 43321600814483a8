import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import type { QueryRunner } from 'typeorm';
import { SessionSource } from '#infrastructure/outbound/postgres/client/data-source.js';
import { createIndex } from '#infrastructure/outbound/postgres/migrations/create-index.js';
import { migrate } from '#infrastructure/outbound/postgres/migrations/migrate.js';
import { unknownKey, withWrongSecret } from '../support/callers/key-strings.js';
import { eventually } from '../support/eventually.js';
import { hostedLatchkey } from '../support/processes/shell.js';
import { startService, type Service } from '../support/processes/service.js';
import { SEAL_KEY_HEX } from '../support/stores/audit-trail.js';
import { createDatabase } from '../support/stores/databases.mjs';
import { type PgBouncer, startPgBouncer } from '../support/stores/pgbouncer.mjs';
import { primaryAt } from '../support/stores/primary.js';
import { sql } from '../support/stores/sql.js';
import { outcomeOf } from './measure.js';

const UNLIMITED = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' };
/** So few that the statements of one call mostly run in different sessions. */
const SESSIONS = 3;
const IGNORED = 'statement_timeout,lock_timeout,idle_in_transaction_session_timeout';

let database: Awaited<ReturnType<typeof createDatabase>>;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(async () => {
  await database.drop();
});

/** Reads a value from every session: each query runs while all other sessions of the pool are in use. */
async function eachSession(url: string, query: string): Promise<unknown[]> {
  const clients = Array.from({ length: SESSIONS }, () => new pg.Client({ connectionString: url }));
  await Promise.all(clients.map((client) => client.connect()));
  await Promise.all(clients.map((client) => client.query('BEGIN')));
  const answers = await Promise.all(clients.map((client) => client.query(query)));
  await Promise.all(clients.map((client) => client.query('ROLLBACK').then(() => client.end())));
  return answers.map(({ rows }) => rows[0]);
}

describe('the service behind PgBouncer in transaction mode, with DATABASE_POOLING=transaction', () => {
  let pool: PgBouncer;
  let env: Record<string, string>;
  let service: Service;
  beforeAll(async () => {
    pool = await startPgBouncer(database.url, { default_pool_size: String(SESSIONS) });
    env = {
      DATABASE_URL: pool.instead(database.url),
      DATABASE_POOLING: 'transaction',
      AUDIT_SEAL_KEY: SEAL_KEY_HEX,
      LEASE_MS: '100',
      ...UNLIMITED,
    };
    service = await startService(env);
  });
  afterAll(async () => {
    await service?.stop();
    await pool?.remove();
  });

  const outcomeFor = (apiKey: string, { clients } = service) => outcomeOf(clients.validate(apiKey));
  const latchkey = (...args: string[]) => hostedLatchkey(args, { env });

  test('creates, validates, revokes and audits keys, and leaves nothing behind in any session', async () => {
    const person = await service.person().signIn();
    const { fullKey, apiKey } = await person.newKey();
    const crowd = Array.from({ length: 100 }, () => [fullKey, withWrongSecret(fullKey), unknownKey()]).flat();
    const outcomes = await Promise.all(crowd.map((credential) => outcomeFor(credential)));
    expect(outcomes).toEqual(crowd.map((credential) => (credential === fullKey ? 'grant' : 'denial')));
    await person.revoke(apiKey.id);
    expect(await outcomeFor(fullKey)).toBe('denial');
    expect((await person.list()).items.map(({ status }) => status)).toEqual(['revoked']);
    const types = (await person.events('?limit=50')).items.map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['api_key.created', 'api_key.revoked']));
    const kept = `SELECT (SELECT count(*)::integer FROM pg_prepared_statements) AS statements,
      (SELECT count(*)::integer FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
        WHERE locktype = 'advisory' AND datname = current_database()) AS locks,
      current_setting('statement_timeout') AS timeout, current_setting('default_transaction_isolation') AS isolation`;
    const nothing = { statements: 0, locks: 0, timeout: '0', isolation: 'read committed' };
    expect(await eachSession(env['DATABASE_URL']!, kept)).toEqual([nothing, nothing, nothing]);
  });

  test('works with a second instance that records due ends and seals events, and with commands', async () => {
    const verified = () => latchkey('audit', 'verify');
    await eventually(async () => /^OK: .*\n {4}seals: [1-9]/.test((await verified()).out));
    const person = await service.person().signIn();
    const { fullKey, apiKey } = await person.newKey();
    await sql(database.url, `UPDATE api_keys SET expires_at = now() - interval '1 hour' WHERE id = $1`, [apiKey.id]);
    const second = await startService(env);
    const swept = `SELECT 1 FROM audit_events JOIN audit_seals ON audit_events.id BETWEEN from_event_id AND to_event_id
      WHERE type = 'api_key.expired' AND key_id = $1`;
    await eventually(async () => (await sql(database.url, swept, [apiKey.id])).length === 1);
    expect(await outcomeFor(fullKey, second)).toBe('denial');
    await second.stop();
    expect(await latchkey('migrate')).toMatchObject({ code: 0, err: '' });
    expect(await latchkey('account', 'suspend', 'demo')).toMatchObject({ code: 0, err: '' });
    expect((await person.call('GET', '/v1/session')).status).toBe(401);
    expect(await latchkey('account', 'reactivate', 'demo')).toMatchObject({ code: 0, err: '' });
  });

  test('refuses to start without DATABASE_POOLING, and names that setting', async () => {
    const unset = startService({ ...env, DATABASE_POOLING: 'session' });
    await expect(unset).rejects.toThrow(/^DATABASE_URL: [^\n]*lock_timeout[^\n]*DATABASE_POOLING=transaction/);
  });
});

test('a migration that builds an index asks for the address of PostgreSQL behind PgBouncer in transaction mode', async () => {
  const pool = await startPgBouncer(database.url);
  const primary = primaryAt(pool.instead(database.url), { pooling: 'transaction' });
  class IndexKeys1999000000000 {
    readonly transaction = false;
    up = (runner: QueryRunner) => createIndex(runner, { name: 'api_keys_by_name', on: 'api_keys (name)' });
    down = async () => {};
  }
  const schema = { entities: [], migrations: [IndexKeys1999000000000] };
  const source = await new SessionSource(primary, schema, {}).initialize();
  try {
    await expect(migrate(source, primary.config, () => {})).rejects.toThrow(
      /^the migration IndexKeys\d+ builds an index[^\n]*with the address of PostgreSQL itself, and without DATABASE_POOLING$/,
    );
  } finally {
    await source.destroy();
    await pool.remove();
  }
});

test('the service works behind PgBouncer in session mode, which ignores our limits, with and without DATABASE_POOLING', async () => {
  const settings = { pool_mode: 'session', default_pool_size: '40', ignore_startup_parameters: IGNORED };
  const pool = await startPgBouncer(database.url, settings);
  const env = { DATABASE_URL: pool.instead(database.url), ...UNLIMITED };
  const services = [await startService(env), await startService({ ...env, DATABASE_POOLING: 'transaction' })];
  try {
    const { fullKey } = await (await services[0]!.person().signIn()).newKey();
    for (const { clients } of services) expect(await outcomeOf(clients.validate(fullKey))).toBe('grant');
    expect(await hostedLatchkey(['keys', 'list', '--owner', 'demo'], { env })).toMatchObject({ code: 0, err: '' });
  } finally {
    for (const service of services) await service.stop();
    await pool.remove();
  }
});
