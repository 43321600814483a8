import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createKey, newOwner, openOnOwnDatabase, type OwnApplication } from '#test/support/application/application.js';
import { databaseNow } from '../client/database.js';
import { DAY_MS } from '#domain/time.js';

let app: OwnApplication;
beforeAll(async () => {
  app = await openOnOwnDatabase();
});
afterAll(() => app?.close());

const rows = async (keyId: string) => {
  const [row] = await app.sql<{ addresses: string[]; denials: string[]; days: number; networks: string[] }>(
    `SELECT
      ARRAY(SELECT client_ip FROM api_key_addresses WHERE key_id = $1 ORDER BY 1) AS addresses,
      ARRAY(SELECT client_ip FROM api_key_denials WHERE key_id = $1 ORDER BY 1) AS denials,
      (SELECT count(*)::int FROM api_key_days WHERE key_id = $1) AS days,
      ARRAY(SELECT network FROM api_key_networks WHERE key_id = $1 ORDER BY 1) AS networks`,
    [keyId],
  );
  return row!;
};

test('forgets a permission 400 days after its last use', async () => {
  const { key } = await createKey(app, (await newOwner(app)).id);
  const now = (await app.database.run(databaseNow)).getTime();
  for (const days of [401, 400]) {
    app.usage.noteGrant(key.id, null, null, new Date(now - days * DAY_MS), `days/${days}:read`);
  }
  await app.usage.flush();
  await app.housekeeping.pruneUsage();
  const { permissionUse } = await app.usage.history(key.id, new Date(now));
  expect(permissionUse.map(({ used }) => used)).toEqual(['days/400:read']);
});

test('deletes usage that is older than 90 days and keeps the rest', async () => {
  const { key } = await createKey(app, (await newOwner(app)).id);
  const now = (await app.database.run(databaseNow)).getTime();
  for (const [days, network] of [
    [92, 1],
    [91, 2],
    [90, 3],
    [89, 4],
    [0, 5],
  ] as const) {
    const at = new Date(now - days * DAY_MS);
    const clientIp = `192.0.${network}.1`;
    app.usage.noteGrant(key.id, clientIp, null, at);
    const asked = { reason: 'read-only-key', operation: 'write', permission: '' } as const;
    app.usage.noteDenial(key.id, at, { clientIp, service: null, ...asked });
    await app.usage.flush();
  }
  await app.housekeeping.pruneUsage();
  expect(await rows(key.id)).toEqual({
    addresses: ['192.0.4.1', '192.0.5.1'],
    denials: ['192.0.4.1', '192.0.5.1'],
    days: 2,
    // A network counts as known until 90 days after its last grant.
    networks: ['192.0.3.0/24', '192.0.4.0/24', '192.0.5.0/24'],
  });
  expect((await app.usage.history(key.id, new Date(now))).days).toHaveLength(2);
});

test('deletes several batches in one run and skips locked rows', async () => {
  const id = (n: string) => `('00000000-0000-4000-8000-' || lpad(${n}::text, 12, '0'))::uuid`;
  await app.sql(
    `INSERT INTO api_key_days SELECT ${id('n')}, date '2020-01-01', 1, 0 FROM generate_series(1, 25000) AS n`,
  );
  await app.database.transaction(async (manager) => {
    await manager.query(`SELECT FROM api_key_days WHERE key_id = ${id('7')} FOR UPDATE`);
    await app.housekeeping.pruneUsage();
  });
  const left = () => app.sql(`SELECT FROM api_key_days WHERE day = date '2020-01-01'`);
  expect(await left()).toHaveLength(1);
  await app.housekeeping.pruneUsage();
  expect(await left()).toHaveLength(0);
});
