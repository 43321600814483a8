import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { root } from '../../scripts/lib/paths.mjs';
import { migrateDatabase } from '#infrastructure/outbound/postgres/open-database.js';
import { createDatabase } from '../support/stores/databases.mjs';
import { primaryAt } from '../support/stores/primary.js';
import { eventually } from '../support/eventually.js';
import { connectClients, type Clients } from '../support/callers/grpc-clients.js';
import { printFigures } from '../support/jest/long-form.js';
import { PASSWORD } from '../support/callers/owners.js';
import { buildService, ServiceProcess } from '../support/processes/service-process.js';
import { sql } from '../support/stores/sql.js';

const HOME = '192.0.2.1';
const ONE_ADDRESS = Number(process.env['LATCHKEY_FLOOD'] ?? 100_000);
const MANY_ADDRESSES = ONE_ADDRESS / 5;
/** The minimum number of the owner's sign-ins before and after a flood, for a 99th percentile. */
const QUIET_SIGN_INS = 300;

/** Moves PostgreSQL's clock ahead: this function is found before the server's own of the same name. */
const MOVED_CLOCK = `
  CREATE SCHEMA moved;
  CREATE TABLE moved.clock AS SELECT interval '0' AS ahead;
  CREATE FUNCTION moved.clock_timestamp() RETURNS timestamptz LANGUAGE sql
    AS 'SELECT pg_catalog.clock_timestamp() + ahead FROM moved.clock'`;
const FIND_MOVED_CLOCK = '?options=-c%20search_path%3Dpublic%2Cmoved%2Cpg_catalog';

describe('a flood of sign-ins with made-up emails', () => {
  const agent = new Agent({ keepAlive: true });
  const owner = `owner-${randomUUID()}@example.org`;
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let service: ServiceProcess;
  let clients: Clients;
  beforeAll(async () => {
    await buildService();
    database = await createDatabase();
    await migrateDatabase(primaryAt(database.url));
    await sql(database.url, MOVED_CLOCK);
    service = await ServiceProcess.startReady({
      DATABASE_URL: database.url + FIND_MOVED_CLOCK,
      TRUSTED_PROXIES: 'loopback',
    });
    clients = connectClients(service.target);
    await clients.putAccount({ id: 'owner', email: owner, displayName: 'Ada', permissions: [], password: PASSWORD });
    await ownersSignIns(QUIET_SIGN_INS);
  });
  afterAll(async () => {
    clients?.close();
    agent.destroy();
    await ServiceProcess.killTheRest();
    await database.drop();
  });

  const signIn = () =>
    new Promise<number>((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': HOME };
      const sent = request(`${service.url}/v1/session`, { agent, method: 'POST', headers }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode!));
      });
      sent.on('error', reject).end(JSON.stringify({ email: owner, password: PASSWORD }));
    });

  /** Signs in one by one, at least `count` times and while `isNeeded`. Returns the milliseconds of each. */
  async function ownersSignIns(count: number, isNeeded = () => false): Promise<number[]> {
    const took: number[] = [];
    while (took.length < count || isNeeded()) {
      const start = performance.now();
      expect(await signIn()).toBe(204);
      took.push(performance.now() - start);
    }
    return took;
  }
  const p99 = (values: number[]) => values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1]!;

  /** Returns how often the attacker got each status. */
  async function flood(count: number, isFromOneAddress: boolean): Promise<Record<number, number>> {
    const args = [service.url, String(count), String(isFromOneAddress)];
    const attacker = fork(join(root, 'test/attacks/sign-in-attacker.mjs'), args, { execArgv: [] });
    const [statuses] = (await Promise.race([
      once(attacker, 'message'),
      once(attacker, 'exit').then(([code]) => Promise.reject(new Error(`the attacker ended with ${code}`))),
    ])) as [Record<number, number>];
    return statuses;
  }

  const rows = async () =>
    (await sql<{ count: number }>(database.url, 'SELECT count(*)::integer AS count FROM password_guesses'))[0]!.count;

  test.each([
    ['one network', ONE_ADDRESS, true],
    ['many networks', MANY_ADDRESSES, false],
  ])('from %s hardly delays an owner, and leaves no rows after an hour', async (from, count, isFromOneAddress) => {
    const quiet = await ownersSignIns(QUIET_SIGN_INS);
    let isOver = false;
    const begun = performance.now();
    const attack = flood(count, isFromOneAddress).finally(() => (isOver = true));
    const [statuses, took] = await Promise.all([attack, ownersSignIns(QUIET_SIGN_INS, () => !isOver)]);
    const seconds = (performance.now() - begun) / 1000;
    const before = await rows();
    // Also after the flood, so that another program on this machine that starts or ends is not mistaken for it.
    quiet.push(...(await ownersSignIns(QUIET_SIGN_INS)));
    await sql(database.url, `UPDATE moved.clock SET ahead = ahead + interval '1 hour'`);
    // The owner's network is remembered.
    await eventually(async () => (await rows()) === 1);
    printFigures(`${count} sign-ins with made-up emails from ${from}`, {
      'in s': seconds.toFixed(0),
      answers: JSON.stringify(statuses),
      "the owner's sign-ins": took.length,
      'p99 quiet ms': p99(quiet).toFixed(0),
      'p99 during the flood ms': p99(took).toFixed(0),
      times: (p99(took) / p99(quiet)).toFixed(2),
      rows: before,
      'rows an hour later': await rows(),
    });
    expect(p99(took)).toBeLessThanOrEqual(3 * p99(quiet));
  });
});
