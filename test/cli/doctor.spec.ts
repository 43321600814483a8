import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { version } from '#config/config.js';
import { createKey, newOwner, openOnOwnDatabase, type OwnApplication } from '../support/application/application.js';
import { hostedLatchkey } from '../support/processes/shell.js';
import { createDatabase } from '../support/stores/databases.mjs';
import { sql } from '../support/stores/sql.js';
import { SEAL_KEY_HEX } from '../support/stores/audit-trail.js';

const REDIS_URL = process.env['LATCHKEY_TEST_REDIS_URL'];

describe('latchkey doctor', () => {
  let app: OwnApplication;
  beforeAll(async () => {
    app = await openOnOwnDatabase({ noticeReceivers: { webhook: true, mail: false } });
  });
  afterAll(async () => {
    await app?.close();
  });

  const doctor = async (env: NodeJS.ProcessEnv = {}) => {
    const { code, out, err } = await hostedLatchkey(['doctor', '--json'], {
      env: { DATABASE_URL: app.databaseUrl, ...env },
    });
    expect(err).toBe('');
    const { findings } = JSON.parse(out) as { findings: { what: string; found: string; action?: string }[] };
    return { code, of: (what: string) => findings.find((finding) => finding.what === what)!, findings };
  };
  /** Replaces the processes that serve. */
  const serving = async (...processes: [version: string, leaseMs: number][]) => {
    await app.sql('DELETE FROM instances');
    for (const process of processes) {
      await app.sql(
        `INSERT INTO instances (id, version, lease_ms, since, renewed_at) VALUES (gen_random_uuid(), $1, $2, now(), now())`,
        process,
      );
    }
  };

  test('finds nothing to do where all is well, and exits with 0', async () => {
    await serving([version(), 500], [version(), 500]);
    const { code, of, findings } = await doctor({ REDIS_URL, AUDIT_SEAL_KEY: SEAL_KEY_HEX });
    expect(findings.filter(({ action }) => action)).toEqual([]);
    expect(code).toBe(0);
    expect(of('database').found).toMatch(/^\S+, as the role \S+, PostgreSQL \d+/);
    expect(of('migrations').found).toBe('all applied');
    expect(of('Redis').found).toMatch(/^version \d/);
    expect(of('instances').found).toBe(`2 × ${version()} with LEASE_MS=500`);
    expect(of("PostgreSQL's clock").found).toMatch(/^\d+\.\d s (ahead of|behind) this machine's$/);
  });

  test('prints a table, and below it what to do', async () => {
    await serving(['0.1.0', 0], [version(), 500]);
    const { code, out } = await hostedLatchkey(['doctor'], { env: { DATABASE_URL: app.databaseUrl } });
    expect(code).toBe(1);
    expect(out).toMatch(/^ +what +found$/m);
    expect(out).toMatch(/^ACTION +instances +1 × 0\.1\.0 with LEASE_MS=0, 1 × \S+ with LEASE_MS=500$/m);
    expect(out).toMatch(/^instances: finish the rollout: two versions serve; give all instances the same LEASE_MS/m);
  });

  test.each<[string, [string, number][], RegExp]>([
    ['no instance', [], /^start one/],
    [
      'instances with different LEASE_MS',
      [
        ['x', 0],
        ['x', 500],
      ],
      /same LEASE_MS/,
    ],
    ['instances of another version than the command line', [['0.0.1', 0]], /this command line is/],
  ])('names %s', async (_what, processes, action) => {
    await serving(...processes);
    const { code, of } = await doctor();
    expect([code, of('instances').action]).toEqual([1, expect.stringMatching(action)]);
  });

  test('names what is late, and notices that were given up', async () => {
    await serving([version(), 0]);
    const { key } = await createKey(app, (await newOwner(app)).id);
    await app.sql(`UPDATE api_keys SET expires_at = now() - interval '1 hour' WHERE id = $1`, [key.id]);
    await app.sql(`UPDATE outbox SET next_try_at = now() - interval '2 hours'`);
    const late = await doctor({ AUDIT_SEAL_KEY: SEAL_KEY_HEX });
    expect(late.code).toBe(1);
    expect(late.of('recording ends of keys')).toMatchObject({ found: 'late for 60 min', action: expect.any(String) });
    expect(late.of('sending notices')).toMatchObject({ found: 'late for 120 min', action: expect.any(String) });
    await app.sql(`UPDATE outbox SET failed_at = now()`);
    const failed = await doctor();
    expect(failed.of('notices')).toMatchObject({
      found: '0 wait, 1 were given up',
      action: expect.stringMatching(/retry/),
    });
    expect(failed.of('seals').found).toMatch(/^AUDIT_SEAL_KEY is not set here; \d+ events are not sealed$/);
  });

  test('names notices that their receiver does not accept, before they are given up', async () => {
    await serving([version(), 0]);
    await createKey(app, (await newOwner(app)).id);
    await app.sql(
      `UPDATE outbox SET failed_at = NULL, tries = 5, told_at = now() - interval '2 days', next_try_at = now() + interval '3 hours'`,
    );
    const { code, of } = await doctor();
    expect([code, of('notices').action]).toEqual([1, expect.stringMatching(/^a receiver does not accept them/)]);
    await app.sql('TRUNCATE outbox');
  });

  test('names rights that the role lacks, without which the service does not start', async () => {
    await serving([version(), 0]);
    const url = new URL(app.databaseUrl);
    url.username = `reader_${url.pathname.slice(1)}`;
    await app.sql(
      `CREATE ROLE ${url.username} LOGIN PASSWORD 'x'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${url.username}`,
    );
    url.password = 'x';
    const { code, of } = await doctor({ DATABASE_URL: url.href });
    await app.sql(`DROP OWNED BY ${url.username}; DROP ROLE ${url.username}`);
    expect([code, of('database').action]).toEqual([
      1,
      expect.stringMatching(/lacks INSERT on accounts, .*grants\.sql$/),
    ]);
  });

  test.each(['READ_BARRIER', 'REQUIRE_SYNCHRONOUS'])(
    'names commits that wait for no standby, with %s',
    async (name) => {
      await serving([version(), 0]);
      const { code, of } = await doctor({ [name]: 'on' });
      expect([code, of('standby')]).toEqual([
        1,
        { what: 'standby', found: 'commits wait for none', action: expect.stringMatching(/synchronous_standby_names/) },
      ]);
    },
  );

  test('says that a database accepts no writes, as hosted ones do whose disk is full', async () => {
    await serving([version(), 0]);
    const url = new URL(app.databaseUrl);
    url.searchParams.set('options', '-c default_transaction_read_only=on');
    const { code, of } = await doctor({ DATABASE_URL: url.href.replaceAll('+', '%20') });
    expect([code, of('database').action]).toEqual([1, expect.stringContaining('accepts no writes')]);
  });

  test('says that a database has to be migrated, and looks no further', async () => {
    const empty = await createDatabase();
    const { code, of, findings } = await doctor({ DATABASE_URL: empty.url });
    expect([code, of('migrations')]).toEqual([
      1,
      {
        what: 'migrations',
        found: expect.stringMatching(/^\d+ missing, the first is /),
        action: expect.stringMatching(/migrate/),
      },
    ]);
    expect(findings.map(({ what }) => what)).not.toContain('instances');
    await sql(
      empty.url,
      `CREATE TABLE migrations (id serial PRIMARY KEY, timestamp bigint NOT NULL, name varchar NOT NULL);
       INSERT INTO migrations (timestamp, name) VALUES (1763600000000, 'InitialSchema1763600000000')`,
    );
    const tooOld = await doctor({ DATABASE_URL: empty.url });
    expect(tooOld.of('migrations').action).toBe(
      'the tables are older than those of 0.2.0: upgrade to 0.2.0 first, then to this version',
    );
    await empty.drop();
  });

  test('names a store that can not be reached, without its password', async () => {
    const unreachable = {
      DATABASE_URL: 'postgres://ada:geheim@127.0.0.1:1/keys',
      REDIS_URL: 'redis://:geheim@127.0.0.1:1',
    };
    const { code, of, findings } = await doctor(unreachable);
    expect(code).toBe(1);
    for (const what of ['database', 'Redis']) {
      expect(of(what)).toMatchObject({ found: expect.stringMatching(/ECONNREFUSED/), action: expect.any(String) });
    }
    expect(JSON.stringify(findings)).not.toContain('geheim');
  });
});
