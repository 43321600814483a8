import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import {
  type Application,
  client,
  createKey,
  newOwner,
  openOver,
  PASSWORD,
  rotateKey,
  themselves,
} from '#test/support/application/application.js';
import { createDatabase } from '#test/support/stores/databases.mjs';
import { primaryAt } from '#test/support/stores/primary.js';
import { sql } from '#test/support/stores/sql.js';
import { OwnPostgres } from '#test/faults/own-postgres.js';
import { SEAL_KEY } from '#test/support/stores/audit-trail.js';
import { PruneAuditEvents } from '#application/audit/prune-audit-events.js';
import { SealAuditEvents } from '#application/audit/seal-audit-events.js';
import { PLATFORM } from '#application/sign-in-ports.js';
import { THE_SERVICE } from '#domain/audit/audit-event.js';
import { FINDINGS_OF_SERVICE } from '#domain/leaks/leak-report.js';
import { sessionDigest } from '#domain/accounts/session.js';
import { PostgresKeyReader } from '../keys/key-reader.js';
import { createDataSource } from '../schema.js';
import { openDatabase } from '../open-database.js';
import { Database } from './database.js';

describe('a transaction', () => {
  let owned: Awaited<ReturnType<typeof createDatabase>>;
  beforeAll(async () => {
    owned = await createDatabase();
    const name = new URL(owned.url).pathname.slice(1);
    await sql(owned.url, `ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`);
  });
  afterAll(() => owned.drop());

  const show = (setting: string) => async (manager: EntityManager) => {
    const [row] = await manager.query<Record<string, string>[]>(`SELECT current_setting('${setting}') AS value`);
    return row!['value'];
  };
  const isolation = show('transaction_isolation');

  describe.each(['session', 'transaction'] as const)('a database with pooling by %s', (pooling) => {
    let app: Application;
    beforeAll(async () => {
      const primary = primaryAt(owned.url, { pooling });
      app = await openOver(await openDatabase(primary, 'lk'), primary);
    });
    afterAll(() => app.close());

    test('runs transactions at READ COMMITTED and snapshots at REPEATABLE READ, whatever the server’s default', async () => {
      expect(await app.database.transaction(isolation)).toBe('read committed');
      expect(await app.database.snapshot(isolation)).toBe('repeatable read');
    });

    test('does so on each of many connections that are opened at once', async () => {
      const all = await Promise.all(Array.from({ length: 10 }, () => app.database.transaction(isolation)));
      expect(new Set(all)).toEqual(new Set(['read committed']));
    });

    test.each([
      ['statement_timeout', '5s'],
      ['lock_timeout', '4s'],
      ['idle_in_transaction_session_timeout', '10s'],
    ])('limits every call by %s', async (limit, value) => {
      expect(await app.database.run(show(limit))).toBe(value);
      expect(await app.database.transaction(show(limit))).toBe(value);
      expect(await app.database.snapshot(show(limit))).toBe(value);
    });
  });

  /** Blocks this process, as if it was frozen, until PostgreSQL has ended the connection. */
  const freezeUntilEnded = (pid: number) => {
    const poll = `
      import pg from 'pg';
      const client = new pg.Client(${JSON.stringify(owned.url)});
      await client.connect();
      while ((await client.query('SELECT FROM pg_stat_activity WHERE pid = ${pid}')).rowCount > 0);
      await client.end();`;
    execFileSync(process.execPath, ['--input-type=module', '--eval', poll]);
  };

  test.each([
    ['idle', 'idle_in_transaction_session_timeout', freezeUntilEnded],
    ['open', 'transaction_timeout', () => undefined],
  ])('is unavailable, and no fault of ours, after it was %s for too long', async (_what, limit, hold) => {
    const primary = primaryAt(owned.url);
    const database = new Database(await openDatabase(primary, 'lk'));
    const work = database.transaction(async (manager) => {
      const [{ pid }] = await manager.query('SELECT pg_backend_pid() AS pid');
      await manager.query(`SET LOCAL ${limit} = 1`);
      hold(pid);
      await manager.query('SELECT pg_sleep(60)');
    });
    await expect(work).rejects.toMatchObject({ code: 'unavailable' });
    await database.close();
  });

  test('leaves a pooled session as it was for the next user', async () => {
    const primary = primaryAt(owned.url, { pooling: 'transaction' });
    const dataSource = await openDatabase(primary, 'lk');
    await dataSource.readCommitted(async () => {});
    const left = `SELECT current_setting('lock_timeout') AS "lock", current_setting('default_transaction_isolation') AS isolation`;
    expect(await dataSource.query(left)).toEqual([{ lock: '0', isolation: 'serializable' }]);
    await dataSource.destroy();
  });

  test.each(['session', 'transaction'] as const)(
    'accepts a server without timelines as the primary, with pooling by %s',
    async (pooling) => {
      const AS_AURORA = `
      CREATE SCHEMA IF NOT EXISTS held;
      CREATE OR REPLACE FUNCTION held.pg_walfile_name(pg_lsn) RETURNS text LANGUAGE plpgsql
        AS $$ BEGIN RAISE EXCEPTION 'not supported' USING ERRCODE = 'feature_not_supported'; END $$`;
      await sql(owned.url, AS_AURORA);
      const url = `${owned.url}?options=-c%20search_path%3Dheld%2Cpg_catalog%2Cpublic`;
      const primary = primaryAt(url, { pooling });
      const database = new Database(await createDataSource(primary).initialize());
      const reader = new PostgresKeyReader(primary);
      expect(await database.transaction(isolation)).toBe('read committed');
      expect(await reader.read('0'.repeat(24))).not.toHaveProperty('found');
      await Promise.all([reader.close(), database.close()]);
    },
  );
});

describe('Durable commits', () => {
  const POOLINGS = ['session', 'transaction'] as const;
  const READ = { operation: 'read', permission: '' } as const;
  const nameOf = (url: string) => new URL(url).pathname.slice(1);

  async function open(url: string, pooling: (typeof POOLINGS)[number], settings = {}): Promise<Application> {
    const primary = primaryAt(url, { pooling, ...settings });
    const noticeReceivers = { webhook: true, mail: true };
    return openOver(await openDatabase(primary, 'lk'), primary, { noticeReceivers });
  }

  describe('a PostgreSQL that crashes', () => {
    let postgres: OwnPostgres;
    beforeAll(async () => {
      postgres = await OwnPostgres.start();
    }, 60_000);
    afterAll(() => postgres.remove());

    const system = async (setting: string) => {
      await sql(postgres.url, `ALTER SYSTEM SET ${setting}`);
      await sql(postgres.url, 'SELECT pg_reload_conf()');
    };
    /** Until it is killed, nothing is flushed but what a commit flushes. */
    const stopWalWriter = async () => {
      const find = `SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'`;
      const [writer] = await sql<{ pid: number }>(postgres.url, find);
      process.kill(writer!.pid, 'SIGSTOP');
    };
    const changes: readonly [string, (app: Application, ownerId: string, keyId: string) => Promise<unknown>, string][] =
      [
        [
          'a revocation',
          (app, ownerId, keyId) => app.changeKeysOfOwner.revoke(themselves(ownerId), keyId, client()),
          `SELECT FROM api_keys WHERE id = $2 AND owner_id = $1 AND revoked_at IS NOT NULL`,
        ],
        [
          'a failed authentication',
          (app, ownerId, keyId) =>
            app.audit.recordFailure({ reason: 'invalid-key', ownerId, keyId, publicPart: null, client: client() }),
          `SELECT FROM audit_events WHERE type = 'authentication.failed' AND owner_id = $1 AND key_id = $2`,
        ],
      ];

    describe.each(POOLINGS)('with pooling by %s', (pooling) => {
      test.each(changes)(
        'keeps %s that was answered, though synchronous_commit is off',
        async (_, change, isStored) => {
          await system(`synchronous_commit = 'on'`);
          const app = await open(postgres.url, pooling);
          const { id } = await newOwner(app);
          const { key } = await createKey(app, id);
          // Open connections notice it too.
          await system(`synchronous_commit = 'off'`);
          await stopWalWriter();
          await change(app, id, key.id);
          await postgres.kill();
          await postgres.startAgain();
          expect(await sql(postgres.url, isStored, [id, key.id])).toHaveLength(1);
          await app.close();
        },
      );
    });
  });

  describe.each(POOLINGS)('every commit with pooling by %s', (pooling) => {
    let owned: Awaited<ReturnType<typeof createDatabase>>;
    let app: Application;
    beforeAll(async () => {
      owned = await createDatabase();
      await sql(owned.url, `ALTER DATABASE ${nameOf(owned.url)} SET synchronous_commit = 'off'`);
      app = await open(owned.url, pooling);
      await sql(owned.url, REFUSE_LOSSY_COMMITS);
    });
    afterAll(async () => {
      await app?.close();
      await owned.drop();
    });

    test('waits for the disk where the database has synchronous_commit off', async () => {
      await expect(sql(owned.url, `INSERT INTO audit_events (type) VALUES ('lossy')`)).rejects.toThrow(
        'a lossy commit',
      );

      const { id, email } = await newOwner(app);
      const { key } = await createKey(app, id);
      const { fullKey } = await rotateKey(app, key.snapshot());
      const validate = (credential: string) =>
        app.validateKey.execute({ credential, question: READ, client: client() });
      expect(await validate(fullKey)).toMatchObject({ verdict: { granted: true } });
      expect(await validate(`${fullKey.slice(0, -1)}x`)).toMatchObject({ verdict: { granted: false } });
      const { token } = await app.signIn.execute(email!, PASSWORD, client());
      await app.accounts.rehash(id, app.cheapHash, app.cheapHash);
      await app.sessions.endByDigest(sessionDigest(token));
      const claims = await app.outbox.claim('webhook', 100);
      expect(claims.length).toBeGreaterThan(2);
      await app.outbox.delivered(claims[0]!);
      await app.outbox.failed(claims[1]!, 'why', undefined);
      await app.outbox.release(claims[2]!);
      expect(await app.outbox.retry(undefined)).toBe(1);
      await app.outbox.makeDue('webhook', 100);
      const report = { source: null, url: null, reporter: THE_SERVICE, keys: [] };
      await app.leakReports.take([report, report], PLATFORM, { budget: FINDINGS_OF_SERVICE, cost: 2 });
      const [one, other] = await app.leakReports.claim(2);
      await app.leakReports.finished(one!);
      await app.leakReports.postpone(other!, [], 1000);
      expect(await app.spentSignIns.spend('state', PLATFORM)).toBe(true);
      await app.changeKeysOfOwner.revoke(themselves(id), key.id, client());
      await new SealAuditEvents(app.auditTrail, [SEAL_KEY]).execute();
      await app.changeAccount.purge(id, undefined, { actorId: null, client: client() });
      await sql(owned.url, MAKE_OLD);
      await new PruneAuditEvents(app.auditTrail, [SEAL_KEY], 0).execute();
      await app.housekeeping.run();
      expect(await sql(owned.url, LEFT_OVER)).toEqual([]);
    });

    test.each(['local', 'remote_write'])('stays as it is where the database has %s', async (level) => {
      await sql(owned.url, `ALTER DATABASE ${nameOf(owned.url)} SET synchronous_commit = '${level}'`);
      const other = await open(owned.url, pooling);
      const levelOfCommit = await other.database.transaction((manager) => manager.query('SHOW synchronous_commit'));
      expect(levelOfCommit).toEqual([{ synchronous_commit: level }]);
      await other.close();
    });
  });

  /** Checked by each commit that changed a row. */
  const REFUSE_LOSSY_COMMITS = `
  CREATE FUNCTION refuse_lossy_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF current_setting('synchronous_commit') = 'off' THEN RAISE 'a lossy commit to %', TG_TABLE_NAME; END IF;
    RETURN NULL;
  END $$;
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
      EXECUTE format('CREATE CONSTRAINT TRIGGER refuse_lossy_commit AFTER INSERT OR UPDATE OR DELETE ON %I
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse_lossy_commit()', name);
    END LOOP;
  END $$`;
  const MAKE_OLD = `
  SET synchronous_commit = 'on';
  INSERT INTO password_guesses (subject, failures, last_attempt_at) VALUES ('old', 1, '2020-01-01');
  INSERT INTO api_key_addresses VALUES (gen_random_uuid(), '192.0.2.1', 'x', '2020-01-01', '2020-01-01')`;
  const LEFT_OVER = `
  SELECT 1 FROM password_guesses WHERE last_attempt_at < '2021-01-01'
  UNION ALL SELECT 1 FROM api_key_addresses WHERE last_at < '2021-01-01'`;
});
