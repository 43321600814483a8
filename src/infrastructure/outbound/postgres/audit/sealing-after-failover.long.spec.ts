import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { OwnPostgres } from '#test/faults/own-postgres.js';
import { eventually } from '#test/support/eventually.js';
import { SEAL_KEY } from '#test/support/stores/audit-trail.js';
import { primaryAt } from '#test/support/stores/primary.js';
import { sql } from '#test/support/stores/sql.js';
import { SealAuditEvents } from '#application/audit/seal-audit-events.js';
import { VerifyAuditTrail } from '#application/audit/verify-audit-trail.js';
import { Database } from '../client/database.js';
import { migrateDatabase, openDatabase } from '../open-database.js';
import { PostgresAuditTrail } from './audit-trail.js';

const RECORD = `INSERT INTO audit_events (type) SELECT 'api_key.created' FROM generate_series(1, $1::int)`;

async function commitAlone({ url }: OwnPostgres): Promise<void> {
  await eventually(
    async () => !(await sql<{ standby: boolean }>(url, 'SELECT pg_is_in_recovery() AS standby'))[0]!.standby,
  );
  await sql(url, `ALTER SYSTEM RESET synchronous_standby_names`);
  await sql(url, `SELECT pg_reload_conf()`);
  await eventually(
    async () => (await sql(url, `SELECT 1 WHERE current_setting('synchronous_standby_names') = ''`)).length,
  );
}

describe.each(['session', 'transaction'] as const)('sealing, with DATABASE_POOLING=%s', (pooling) => {
  const servers: OwnPostgres[] = [];
  beforeAll(async () => {
    const first = await OwnPostgres.start();
    servers.push(first);
    await migrateDatabase(primaryAt(first.url, { pooling: 'session' }));
    servers.push(await first.startStandby('standby'));
  });
  afterAll(() => Promise.all(servers.map((server) => server.remove())));

  test('seals each event once when a failover has lost events, and their ids are used again', async () => {
    const [first, second] = servers as [OwnPostgres, OwnPostgres];
    const primary = primaryAt([first.url, second.url], { pooling });
    const database = new Database(await openDatabase(primary, 'lk'));
    const trail = new PostgresAuditTrail(database);
    const sealer = new SealAuditEvents(trail, [SEAL_KEY]);
    // From here on, the standby receives nothing, and commits wait for none.
    await second.stop();
    await commitAlone(first);
    const writer = new pg.Client({ connectionString: first.url });
    writer.on('error', () => undefined);
    await writer.connect();
    await writer.query(`BEGIN; INSERT INTO audit_events (type) VALUES ('api_key.created')`);
    await sql(first.url, RECORD, [40]);
    expect(await sealer.execute()).toBe('writers-at-work');

    await first.kill();
    await second.startAgain();
    await second.promote();
    await commitAlone(second);
    await eventually(() =>
      trail
        .unsealedEvents()
        .then(() => true)
        .catch(() => false),
    );
    for (const count of [3, 3]) {
      await sql(second.url, RECORD, [count]);
      await sealer.execute();
    }
    const seals = 'SELECT from_event_id AS from, to_event_id AS to, event_count AS count FROM audit_seals ORDER BY id';
    expect(await sql(second.url, seals)).toEqual([
      { from: '1', to: '3', count: 3 },
      { from: '4', to: '6', count: 3 },
    ]);
    const verified = await new VerifyAuditTrail(trail, [SEAL_KEY]).execute();
    expect(verified).toMatchObject({ intact: true, sealedEvents: 6, unsealedEvents: 0 });
    await database.close();
    await primary.close();
  });
});
