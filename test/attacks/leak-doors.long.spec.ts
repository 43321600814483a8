import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { KeyString } from '#domain/keys/key-string.js';
import { TOKEN_TYPE } from '#infrastructure/inbound/http/leaks/leaked-tokens.controller.js';
import { connectClients } from '../support/callers/grpc-clients.js';
import { unknownKey } from '../support/callers/key-strings.js';
import { eventually } from '../support/eventually.js';
import { printFigures } from '../support/jest/long-form.js';
import { buildService, ServiceProcess } from '../support/processes/service-process.js';
import { createDatabase } from '../support/stores/databases.mjs';
import { sql } from '../support/stores/sql.js';
import { medianOf, Sample, welchT } from './statistics.js';

const CALLS = Number(process.env['LATCHKEY_LEAKS'] ?? 10_000);
const KEYS_PER_OWNER = 5;
const FLOOD = 3000;
const AT_ONCE = 100;
const ACCEPTED = 60;

let database: Awaited<ReturnType<typeof createDatabase>>;
let service: ServiceProcess;
const start = () => ServiceProcess.startReady({ DATABASE_URL: database.url, TRUSTED_PROXIES: 'loopback' });
beforeAll(async () => {
  await buildService();
  database = await createDatabase();
  service = await start();
});
afterAll(async () => {
  await ServiceProcess.killTheRest();
  await database.drop();
});

let networks = 0;
function newNetwork(): string {
  networks += 1;
  return `10.${networks >> 16}.${(networks >> 8) & 255}.${networks & 255}`;
}

async function post(path: string, body: unknown, headers: Record<string, string>): Promise<number> {
  const request = { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(service.url + path, {
    ...request,
    headers: { 'content-type': 'application/json', ...headers },
  });
  await answer.arrayBuffer();
  return answer.status;
}
const report = (key: string, network = newNetwork()) =>
  post('/v1/leaked-keys', { keys: [key] }, { 'x-forwarded-for': network });
const revoke = (key: string) =>
  post('/v1/revoke_tokens', [{ type: TOKEN_TYPE, token: key, location: 'https://git.example/x' }], {
    authorization: 'dev-reporter-token',
  });

/** Stores keys as creations would, active for a day. */
async function makeKeys(count: number): Promise<string[]> {
  const keys = Array.from({ length: count }, () => KeyString.generate('lk'));
  const owners = Array.from({ length: Math.ceil(count / KEYS_PER_OWNER) }, () => `leaker-${randomUUID()}`);
  await sql(
    database.url,
    `INSERT INTO accounts (id, email, email_key, display_name, permissions, status, version)
     SELECT id, id || '@example.org', id || '@example.org', '', '{}', 'active', 1 FROM unnest($1::text[]) AS id`,
    [owners],
  );
  await sql(
    database.url,
    `INSERT INTO api_keys (id, owner_id, name, access, key_prefix, public_part, digest, created_at, expires_at)
     SELECT gen_random_uuid(), owner, 'CI', 'read-only', 'lk', part, digest, now(), now() + interval '1 day'
     FROM unnest($1::text[], $2::text[], $3::bytea[]) AS made (owner, part, digest)`,
    [
      keys.map((_, index) => owners[Math.floor(index / KEYS_PER_OWNER)]),
      keys.map(({ publicPart }) => publicPart),
      keys.map((key) => key.digest()),
    ],
  );
  return keys.map((key) => key.reveal());
}

const countOf = async (text: string): Promise<number> => {
  const [row] = await sql<{ count: number }>(database.url, `SELECT count(*)::integer AS count FROM ${text}`);
  return row!.count;
};

test.each([
  ['POST /v1/leaked-keys', report, 202],
  ['POST /v1/revoke_tokens', revoke, 204],
] as const)("%s takes the same time for good and unknown keys: Welch's |t| < 4.5", async (door, send, expected) => {
  const good = await makeKeys(CALLS);
  const samples = { good: new Sample(), unknown: new Sample() };
  const all: Record<keyof typeof samples, number[]> = { good: [], unknown: [] };
  const before = await countOf(`api_keys WHERE revoked_at IS NOT NULL`);
  for (let call = 0; call < CALLS; call += 1) {
    // Random for each call, because revoking a key slows the following calls, of either kind.
    const kind = Math.random() < 0.5 ? 'good' : 'unknown';
    const key = kind === 'good' ? good[all.good.length]! : unknownKey();
    const begun = performance.now();
    const status = await send(key);
    const took = performance.now() - begun;
    expect(status).toBe(expected);
    samples[kind].add(took);
    all[kind].push(took);
  }
  await eventually(async () => (await countOf('leak_reports')) === 0);
  expect((await countOf(`api_keys WHERE revoked_at IS NOT NULL`)) - before).toBe(all.good.length);
  const t = welchT(samples.good, samples.unknown);
  printFigures(`answers of ${door}`, {
    'good keys': all.good.length,
    'unknown keys': all.unknown.length,
    'good mean ms': samples.good.mean.toFixed(3),
    'unknown mean ms': samples.unknown.mean.toFixed(3),
    'good median ms': medianOf(all.good).toFixed(3),
    'unknown median ms': medianOf(all.unknown).toFixed(3),
    t: t.toFixed(2),
  });
  expect(Math.abs(t)).toBeLessThan(4.5);
});

test('accepts 60 reports of a flooding network, records all of them, and still serves other networks', async () => {
  const [fullKey] = (await makeKeys(1)) as [string];
  const before = await countOf(`audit_events`);
  const network = newNetwork();
  const counts: Record<number, number> = {};
  const floods = Array.from({ length: AT_ONCE }, async () => {
    for (let sent = 0; sent < FLOOD / AT_ONCE; sent += 1) {
      const status = await report(unknownKey(), network);
      counts[status] = (counts[status] ?? 0) + 1;
    }
  });
  const begun = performance.now();
  expect(await report(fullKey)).toBe(202);
  const answeredMs = performance.now() - begun;
  const open = connectClients(service.target);
  await eventually(async () => (await open.validate(fullKey)).outcome === 'denial');
  const endedMs = performance.now() - begun - answeredMs;
  open.close();
  await Promise.all(floods);
  expect(counts[202]).toBeGreaterThanOrEqual(ACCEPTED);
  expect(counts[202]).toBeLessThanOrEqual(ACCEPTED + 2);
  expect(Object.keys(counts).sort()).toEqual(['202', '429']);
  await eventually(async () => (await countOf('leak_reports')) === 0);
  const [recorded] = await sql<{ count: number }>(
    database.url,
    `SELECT sum(count)::integer AS count FROM audit_events WHERE reason IN ('too-many-reports', 'unproven-report')
       AND client_ip = $1`,
    [network],
  );
  expect(recorded!.count).toBe(FLOOD);
  const events = (await countOf(`audit_events`)) - before;
  printFigures('a flood of reports', {
    ...counts,
    events,
    'another network answered after ms': answeredMs.toFixed(0),
    'and its key ended ms after that': endedMs.toFixed(0),
  });
  expect(events).toBeLessThanOrEqual(FLOOD + 2);
});

test('revokes a reported key after kill -9 of the instance that accepted the report', async () => {
  const [fullKey] = (await makeKeys(1)) as [string];
  const [{ owner_id: ownerId }] = (await sql(database.url, 'SELECT owner_id FROM api_keys WHERE public_part = $1', [
    fullKey.slice(3, 27),
  ])) as [{ owner_id: string }];
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM accounts WHERE id = $1 FOR UPDATE', [ownerId]);
  expect(await report(fullKey)).toBe(202);
  service.child.kill('SIGKILL');
  await service.ended;
  await holder.query('ROLLBACK');
  await holder.end();
  expect(await countOf(`leak_reports`)).toBe(1);
  expect(await countOf(`api_keys WHERE public_part = '${fullKey.slice(3, 27)}' AND revoked_at IS NULL`)).toBe(1);
  const begun = performance.now();
  service = await start();
  const open = connectClients(service.target);
  await eventually(async () => (await open.validate(fullKey)).outcome === 'denial');
  open.close();
  printFigures('kill -9 after a report', { 'ended after ms, with the start': (performance.now() - begun).toFixed(0) });
  await eventually(async () => (await countOf(`leak_reports`)) === 0);
});
