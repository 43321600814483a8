import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { migrateDatabase } from '../../src/infrastructure/outbound/postgres/connection/open-database.js';
import { createDatabase } from '../support/databases.mjs';
import { eventually } from '../support/eventually.js';
import { connectClients, type Clients } from '../support/grpc-clients.js';
import { tellFigures } from '../support/long-form.js';
import { PASSWORD } from '../support/owners.js';
import { buildService, ServiceProcess } from '../support/service-process.js';
import { sql } from '../support/sql.js';

const HOME = '192.0.2.1';
const ATTACKER = '203.0.113.66';
const ONE_ADDRESS = Number(process.env['LATCHKEY_FLOOD'] ?? 100_000);
const MANY_ADDRESSES = ONE_ADDRESS / 5;
const AT_ONCE = 200;
const SIGN_INS = 300;

/** PostgreSQL, but its clock goes as far ahead as the test says: a function of the same name is found before the server's own. */
const MOVED_CLOCK = `
  CREATE SCHEMA moved;
  CREATE TABLE moved.clock AS SELECT interval '0' AS ahead;
  CREATE FUNCTION moved.clock_timestamp() RETURNS timestamptz LANGUAGE sql
    AS 'SELECT pg_catalog.clock_timestamp() + ahead FROM moved.clock'`;
const FIND_MOVED_CLOCK = '?options=-c%20search_path%3Dpublic%2Cmoved%2Cpg_catalog';

describe('under a flood of sign-ins with made-up emails', () => {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE + 10 });
  const owner = `owner-${randomUUID()}@example.org`;
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let service: ServiceProcess;
  let clients: Clients;
  let quietP99: number;
  beforeAll(async () => {
    await buildService();
    database = await createDatabase();
    await migrateDatabase(database.url);
    await sql(database.url, MOVED_CLOCK);
    service = await ServiceProcess.startReady({
      DATABASE_URL: database.url + FIND_MOVED_CLOCK,
      TRUSTED_PROXIES: 'loopback',
    });
    clients = connectClients(service.target);
    await clients.putAccount({ id: 'owner', email: owner, displayName: 'Ada', permissions: [], password: PASSWORD });
    await ownersSignIns(() => false);
    quietP99 = p99(await ownersSignIns(() => false));
  });
  afterAll(async () => {
    clients?.close();
    agent.destroy();
    await ServiceProcess.killTheRest();
    await database.drop();
  });

  /** Over connections that stay open, for 100,000 of their own would be what is measured. */
  const signIn = (email: string, ip: string, password = PASSWORD) =>
    new Promise<number>((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': ip };
      const sent = request(`${service.url}/v1/session`, { agent, method: 'POST', headers }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode!));
      });
      sent.on('error', reject).end(JSON.stringify({ email, password }));
    });

  /** One after the other, at least so many and as long as asked to. Answers how long each took, in milliseconds. */
  async function ownersSignIns(goesOn: () => boolean): Promise<number[]> {
    const took: number[] = [];
    while (took.length < SIGN_INS || goesOn()) {
      const start = performance.now();
      expect(await signIn(owner, HOME)).toBe(204);
      took.push(performance.now() - start);
    }
    return took;
  }
  const p99 = (values: number[]) => values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1]!;

  /** As fast as they are answered. */
  async function flood(count: number, addressOf: (n: number) => string): Promise<Record<number, number>> {
    const statuses: Record<number, number> = {};
    let begun = 0;
    const attack = async () => {
      for (let n = (begun += 1); n <= count; n = begun += 1) {
        const status = await signIn(`${randomUUID()}@example.org`, addressOf(n), 'x');
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, attack));
    return statuses;
  }

  const rows = async () =>
    (await sql<{ count: number }>(database.url, 'SELECT count(*)::integer AS count FROM password_guesses'))[0]!.count;

  test.each([
    ['one address', ONE_ADDRESS, () => ATTACKER],
    ['an address each', MANY_ADDRESSES, (n: number) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`],
  ])(
    'from %s, an owner signs in nearly as fast as ever, and an hour later nothing is left of it',
    async (from, count, addressOf) => {
      let isOver = false;
      const begun = performance.now();
      const attack = flood(count, addressOf).finally(() => (isOver = true));
      const [statuses, took] = await Promise.all([attack, ownersSignIns(() => !isOver)]);
      const seconds = (performance.now() - begun) / 1000;
      const before = await rows();
      await sql(database.url, `UPDATE moved.clock SET ahead = ahead + interval '1 hour'`);
      // The owner's network is remembered.
      await eventually(async () => (await rows()) === 1);
      tellFigures(`${count} sign-ins with made-up emails from ${from}`, {
        'in s': seconds.toFixed(0),
        answers: JSON.stringify(statuses),
        "the owner's sign-ins": took.length,
        'p99 quiet ms': quietP99.toFixed(0),
        'p99 meanwhile ms': p99(took).toFixed(0),
        rows: before,
        'rows an hour later': await rows(),
      });
      expect(p99(took)).toBeLessThanOrEqual(3 * quietP99);
    },
  );
});
