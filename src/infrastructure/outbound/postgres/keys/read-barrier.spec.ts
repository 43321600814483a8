import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { OwnPostgres } from '../../../../../test/faults/own-postgres.js';
import { eventually } from '../../../../../test/support/eventually.js';
import { primaryAt } from '../../../../../test/support/stores/primary.js';
import { sql } from '../../../../../test/support/stores/sql.js';
import { LatchkeyError } from '../../../../domain/errors.js';
import { migrateDatabase } from '../connection/open-database.js';
import { PostgresKeyReader } from './key-reader.js';

const NOBODYS_KEY = '0'.repeat(24);

describe.each(['session', 'transaction'] as const)('a read behind a barrier, with pooling by %s', (pooling) => {
  let primary: OwnPostgres;
  let standby: OwnPostgres;
  const readers: PostgresKeyReader[] = [];
  beforeAll(async () => {
    primary = await OwnPostgres.start();
    await migrateDatabase(primaryAt(primary.url));
    standby = await primary.startStandby('standby');
  }, 60_000);
  afterAll(async () => {
    await Promise.all(readers.map((each) => each.close()));
    await standby.remove();
    await primary.remove();
  });

  function reader(patienceMs?: number): PostgresKeyReader {
    const limit = patienceMs === undefined ? {} : { patienceMs };
    const opened = new PostgresKeyReader(primaryAt(primary.url, { readBarrier: true, pooling, ...limit }));
    readers.push(opened);
    return opened;
  }
  /** Resolves with what a read comes to: nothing when it is answered. */
  const read = (from = reader()) =>
    from.read(NOBODYS_KEY).then(
      () => undefined,
      (error: LatchkeyError) => [error.code, (error.cause as Error).message] as const,
    );
  const set = async (setting: string) => {
    await sql(primary.url, `ALTER SYSTEM SET ${setting}`);
    await sql(primary.url, 'SELECT pg_reload_conf()');
  };

  test('is answered while the standby takes commits', async () => {
    await eventually(async () => (await read()) === undefined);
  });

  test('gets no answer while the standby is away, and no grant when an administrator ends the wait', async () => {
    standby.pause();
    try {
      expect(await read(reader(200))).toEqual(['unavailable', 'no answer within 200 ms']);
      const waiting = read();
      const ENDED = `SELECT count(pg_cancel_backend(pid))::integer AS ended FROM pg_stat_activity
        WHERE application_name = 'latchkey validation' AND wait_event = 'SyncRep' AND state = 'active'`;
      let isOver = false;
      void waiting.finally(() => (isOver = true));
      await eventually(async () => {
        await sql(primary.url, ENDED);
        return isOver;
      });
      expect(await waiting).toEqual(['unavailable', expect.stringMatching(/connection/i)]);
    } finally {
      standby.resume();
    }
    await eventually(async () => (await read()) === undefined);
  });

  test.each([`synchronous_standby_names = ''`, `synchronous_commit = 'local'`])(
    'gets no answer while PostgreSQL waits for no standby, because of %s',
    async (setting) => {
      await set(setting);
      await eventually(async () => {
        const met = await read();
        return met?.[0] === 'unavailable' && met[1].startsWith('READ_BARRIER is on, and PostgreSQL commits without');
      });
      await set(setting.includes('names') ? `synchronous_standby_names = 'standby'` : `synchronous_commit = 'on'`);
      await eventually(async () => (await read()) === undefined);
    },
  );

  test('gets no answer when waiting is switched off while it waits', async () => {
    standby.pause();
    try {
      const waiting = read();
      await eventually(async () => {
        const [row] = await sql<{ waiting: number }>(
          primary.url,
          `SELECT count(*)::integer AS waiting FROM pg_stat_activity
           WHERE application_name = 'latchkey validation' AND wait_event = 'SyncRep' AND state = 'active'`,
        );
        return row!.waiting > 0;
      });
      await set(`synchronous_standby_names = ''`);
      expect(await waiting).toEqual(['unavailable', expect.stringMatching(/^READ_BARRIER is on/)]);
    } finally {
      standby.resume();
      await set(`synchronous_standby_names = 'standby'`);
    }
  });
});
