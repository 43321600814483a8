import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { status } from '@grpc/grpc-js';
import { outcomeOf } from '../faults/measure.js';
import { OwnPostgres } from '../faults/own-postgres.js';
import { eventually } from '../support/eventually.js';
import { startService, type Service } from '../support/processes/service.js';
import { type PgBouncer, startPgBouncer } from '../support/stores/pgbouncer.mjs';
import { sql } from '../support/stores/sql.js';

const POOLED = { DATABASE_POOLING: 'transaction', DATABASE_PATIENCE_MS: '1000' };
const REFUSED_IN_A_ROW = 20;

let former: OwnPostgres;
let primary: OwnPostgres;
const pools: PgBouncer[] = [];
const services: Service[] = [];
beforeAll(async () => {
  former = await OwnPostgres.start();
  await (await startService({ DATABASE_URL: former.url })).stop();
  primary = await former.startStandby('next');
  pools.push(await startPgBouncer(former.url), await startPgBouncer(primary.url));
});
afterAll(async () => {
  for (const service of services) await service.stop();
  for (const pool of pools) await pool.remove();
  await primary.remove();
  await former.remove();
});

async function started(url: string): Promise<Service> {
  const service = await startService({ ...POOLED, DATABASE_URL: url });
  services.push(service);
  return service;
}
const grants = (service: Service, key: string) =>
  eventually(async () => (await outcomeOf(service.clients.validate(key))) === 'grant');

let fullKey: string;
let keyId: string;

test('the service finds the pool that leads to the primary, and uses another pool after a promotion', async () => {
  const urls = pools.map((pool, index) => new URL(pool.instead([former, primary][index]!.url)));
  const service = await started(urls[0]!.href.replace(urls[0]!.host, urls.map(({ host }) => host).join()));
  const created = await (await service.person().signIn()).newKey();
  [fullKey, keyId] = [created.fullKey, created.apiKey.id];
  await grants(service, fullKey);
  await former.stop();
  await primary.promote();
  await sql(primary.url, `ALTER SYSTEM SET synchronous_standby_names = ''`);
  await sql(primary.url, 'SELECT pg_reload_conf()');
  await grants(service, fullKey);
});

test('the service refuses a replaced server after its pool has led to the successor', async () => {
  await former.startAgain();
  await sql(former.url, `ALTER SYSTEM SET synchronous_standby_names = ''`);
  await sql(former.url, 'SELECT pg_reload_conf()');
  const [pool] = pools;
  const through = pool!.instead(former.url);
  await eventually(() => sql(through, 'SELECT').catch(() => undefined));
  const service = await started(through);
  await grants(service, fullKey);
  await pool!.switchTo(primary.url);
  const person = service.person();
  await eventually(async () => (await person.signIn().catch(() => undefined)) !== undefined);
  await eventually(async () => (await person.revoke(keyId)).status === 200);
  // Opens the connections of the validations, and makes sure that they lead to the successor.
  await eventually(async () => (await outcomeOf(service.clients.validate(fullKey))) === 'denial');
  await pool!.switchTo(former.url);
  for (let refused = 0; refused < REFUSED_IN_A_ROW;) {
    const outcome = await outcomeOf(service.clients.validate(fullKey));
    expect(['denial', status.UNAVAILABLE]).toContain(outcome);
    refused = outcome === status.UNAVAILABLE ? refused + 1 : 0;
  }
  expect((await person.call('GET', '/v1/api-keys')).status).toBe(503);
});
