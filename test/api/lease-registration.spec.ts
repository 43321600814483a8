import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { eventually } from '../support/eventually.js';
import { startService, type Service } from '../support/processes/service.js';
import { createDatabase } from '../support/stores/databases.mjs';
import { sql } from '../support/stores/sql.js';

interface Row {
  readonly id: string;
  readonly lease_ms: number;
  readonly fence: string | null;
}

describe('The registration of a service that gives leases', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  const running = new Set<Service>();
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(async () => {
    await Promise.all([...running].map((service) => service.stop()));
    await database.drop();
  });

  const start = async (leaseMs?: number) => {
    const service = await startService({
      DATABASE_URL: database.url,
      ...(leaseMs !== undefined && { LEASE_MS: String(leaseMs) }),
    });
    running.add(service);
    return service;
  };
  const stop = async (service: Service) => {
    running.delete(service);
    await service.stop();
  };
  const rows = (where = 'true') => sql<Row>(database.url, `SELECT * FROM lease_registrations WHERE ${where}`);
  const registered = () => eventually(async () => (await rows('fence IS NULL'))[0]);
  const listening = () =>
    sql(
      database.url,
      `SELECT FROM pg_stat_activity WHERE application_name = 'latchkey leases' AND datname = current_database()`,
    );

  test('is neither made nor listened for without LEASE_MS', async () => {
    const service = await start();
    const person = await service.person().signIn();
    await person.newKey();
    expect(await listening()).toEqual([]);
    await stop(service);
    expect([await rows(), await sql(database.url, 'SELECT FROM lease_timeline')]).toEqual([[], []]);
  });

  test('is made at the start, and fenced at the stop', async () => {
    const service = await start(2000);
    const { id, lease_ms: leaseMs } = await registered();
    expect([leaseMs, (await listening()).length]).toEqual([2000, 1]);
    await stop(service);
    expect(await rows()).toMatchObject([{ id, fence: expect.any(String) }]);
    expect(await listening()).toEqual([]);
  });

  test.each([0, 100])(
    'is deleted by an instance with LEASE_MS=%i, also if its own ended without leaving',
    async (leaseMs) => {
      const left = await start(100);
      await registered();
      await stop(left);
      await sql(
        database.url,
        `INSERT INTO lease_registrations VALUES (gen_random_uuid(), 100, now() - interval '31 seconds')`,
      );
      const ids = (await rows()).map(({ id }) => id);
      expect(ids.length).toBeGreaterThan(1);
      const service = await start(leaseMs);
      await eventually(async () => !(await rows()).some(({ id }) => ids.includes(id)));
      await stop(service);
    },
  );

  test('does not keep a service from starting and serving while a long transaction delays it', async () => {
    await sql(database.url, 'TRUNCATE lease_registrations, lease_timeline');
    const dump = new pg.Client({ connectionString: database.url });
    await dump.connect();
    await dump.query('BEGIN; SELECT FROM lease_timeline');
    const service = await start(2000);
    const person = await service.person().signIn();
    const { apiKey } = await person.newKey();
    await person.revoke(apiKey.id);
    expect(await rows()).toEqual([]);
    await dump.end();
    await registered();
    await stop(service);
  });
});
