import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { status } from '@grpc/grpc-js';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { outcomeOf } from '../faults/measure.js';
import { Callers } from '../support/callers.js';
import { createDatabase } from '../support/databases.mjs';
import { eventually } from '../support/eventually.js';
import { bearer, connectClients } from '../support/grpc-clients.js';
import { readMetrics } from '../support/metrics-page.js';
import { Person } from '../support/person.js';
import { childrenOf, isRunning } from '../support/processes.js';
import { rawRequest } from '../support/raw-http.js';
import { buildService, ServiceProcess } from '../support/service-process.js';
import { sql } from '../support/sql.js';

const UNLIMITED = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' };
const CALLERS = 8;
const BURST = 10;
/** The slowest refill there is, so that charges stay during a test. */
const TEN_AT_ONCE = { RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: String(BURST) };
const REDIS_URL = process.env['LATCHKEY_TEST_REDIS_URL']!;

let callers: Callers | undefined;
let database: Awaited<ReturnType<typeof createDatabase>>;
beforeAll(() => buildService());

function start(env: Record<string, string> = {}): Promise<ServiceProcess> {
  return ServiceProcess.startReady({ WORKERS: '2', DATABASE_URL: database.url, REDIS_URL, ...env });
}
const newKey = async ({ url }: ServiceProcess) => (await (await new Person(url).signIn()).newKey()).fullKey;
const logged = ({ out }: ServiceProcess) => out.split('\n').flatMap((line) => (line ? [JSON.parse(line)] : []));
const count = <T>(told: T[][], outcome: T) => told.flat().filter((one) => one === outcome).length;

/** The number of admitted questions out of 40, asked over 8 connections. */
async function admittedOverGrpc({ target }: ServiceProcess, fullKey: string): Promise<number> {
  callers = new Callers(target, fullKey, CALLERS);
  return count(await callers.askUntil(({ length }) => length === 5), 'grant');
}

describe('with WORKERS=2, on one service', () => {
  let service: ServiceProcess;
  beforeAll(async () => {
    database = await createDatabase();
    service = await start({ ...TEN_AT_ONCE, LOG_LEVEL: 'info' });
  });
  afterEach(() => callers?.close());
  afterAll(async () => {
    await ServiceProcess.killTheRest();
    await database.drop();
  });

  /** Clients that are connected stay connected. */
  const allowConnections = (areAllowed: boolean) =>
    sql(
      process.env['LATCHKEY_TEST_DATABASE_URL']!,
      `ALTER DATABASE ${new URL(database.url).pathname.slice(1)} ALLOW_CONNECTIONS ${areAllowed}`,
    );

  /** One line from each worker that has ever listened. */
  const listening = () => logged(service).filter(({ msg }) => msg === 'listening').length;

  test('both charge one budget in Redis', async () => {
    const person = await new Person(service.url).signIn();
    const fallbacks = async () => (await readMetrics(service.url)).sum('latchkey_redis_fallbacks_total');
    // Once more where Redis was late: then a worker has decided for itself, and said so.
    const undisturbed = async () => {
      const { apiKey, fullKey } = await person.newKey();
      const [before, startedAt] = [await fallbacks(), performance.now()];
      const admitted = await admittedOverGrpc(service, fullKey);
      const refilled = Math.ceil((performance.now() - startedAt) / 1000);
      callers?.close();
      await person.revoke(apiKey.id);
      return (await fallbacks()) === before && { admitted, most: BURST + refilled };
    };
    const { admitted, most } = await eventually(undisturbed);
    expect(admitted).toBeGreaterThanOrEqual(BURST);
    expect(admitted).toBeLessThanOrEqual(most);
    expect(logged(service).filter(({ level, msg }) => level >= 40 && msg.includes('REDIS_URL'))).toEqual([]);
  });

  test('one that is killed is replaced at once, and the other serves meanwhile', async () => {
    const fullKey = await newKey(service);
    const before = listening();
    // A connection that was handed over at the moment of the kill gets no answer: its client tries another.
    const isServed = async () => {
      const { validate, close } = connectClients(service.target);
      return (await Promise.race([outcomeOf(validate(fullKey)), pause(5000)]).finally(close)) === 'grant';
    };
    const victims = childrenOf(service.pid);
    for (const [index, victim] of victims.entries()) {
      process.kill(victim, 'SIGKILL');
      // New connections reach the worker that is left.
      await eventually(isServed);
      await eventually(async () => listening() === before + index + 1);
    }
    expect(childrenOf(service.pid).filter((pid) => !victims.includes(pid))).toHaveLength(2);
    expect(logged(service).filter(({ msg }) => msg === 'a worker ended and is replaced')).toEqual(
      victims.map((pid) => expect.objectContaining({ pid, signal: 'SIGKILL', exitCode: null, pauseMs: 0 })),
    );
  });

  test('one that cannot come back is tried again ever more slowly, while the other serves, until it can', async () => {
    const fullKey = await newKey(service);
    const before = listening();
    const ended = logged(service).length;
    const [victim] = childrenOf(service.pid);
    await allowConnections(false);
    try {
      process.kill(victim!, 'SIGKILL');
      const pauses = () =>
        logged(service)
          .slice(ended)
          .flatMap(({ pauseMs }) => pauseMs ?? []);
      // None before the first tries, whose number depends on how long the victim had worked.
      const different = () => [...new Set(pauses())].filter((pauseMs) => pauseMs > 0);
      await eventually(async () => different().length >= 2);
      expect(different().slice(0, 2)).toEqual([100, 200]);
      callers = new Callers(service.target, fullKey, 2);
      expect(await callers.askUntil(({ length }) => length === 1)).toEqual([['grant'], ['grant']]);
    } finally {
      await allowConnections(true);
    }
    await eventually(async () => listening() === before + 1);
    expect(childrenOf(service.pid)).toHaveLength(2);
  });
});

describe('with WORKERS=2, each on a service of its own,', () => {
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(async () => {
    callers?.close();
    await ServiceProcess.killTheRest();
    await database.drop();
  });

  /** The same over 40 connections. */
  async function admittedOverHttp(service: ServiceProcess, fullKey: string): Promise<number> {
    let admitted = 0;
    for (let asked = 0; asked < 40; asked += 1) {
      // A key may not list keys: 403, but the request is charged.
      const answer = await rawRequest(service, 'GET /v1/api-keys', [`Authorization: Bearer ${fullKey}`]);
      if (answer.status === 403) admitted += 1;
    }
    return admitted;
  }

  test('connections spread over both, over gRPC and HTTP; without Redis the start says that each counts for itself', async () => {
    const service = await start({ ...TEN_AT_ONCE, REDIS_URL: '' });
    expect(childrenOf(service.pid)).toHaveLength(2);
    // At least one of the eight connections belongs to the other worker: the first free worker takes the next one.
    expect(await admittedOverGrpc(service, await newKey(service))).toBeGreaterThanOrEqual(BURST + 5);
    expect(await admittedOverHttp(service, await newKey(service))).toBeGreaterThanOrEqual(2 * BURST);
    expect(logged(service)).toEqual([
      expect.objectContaining({ level: 40, msg: expect.stringMatching(/^REDIS_URL is missing.* 2 times its limit$/) }),
    ]);
  });

  test('on SIGTERM both answer what is under way and end, with code 0', async () => {
    // Without warnings: on a busy machine Redis may be late once.
    const service = await start({ ...UNLIMITED, LOG_LEVEL: 'error' });
    callers = new Callers(service.target, await newKey(service), CALLERS);
    const workers = childrenOf(service.pid);
    const told = callers.askUntil((toldSoFar) => toldSoFar.length > 0 && toldSoFar.at(-1) !== 'grant');
    await eventually(async () => (await sql(database.url, 'SELECT FROM api_key_usage')).length > 0);
    service.child.kill('SIGTERM');
    expect(await service.ended).toEqual({ code: 0, signal: null, out: '', err: '' });
    expect(workers.filter(isRunning)).toEqual([]);
    // The last call of each caller finds no server any more; every other call was answered.
    const failed = (await told).flat().filter((outcome) => outcome !== 'grant');
    expect(failed).toEqual(new Array(CALLERS).fill(status.UNAVAILABLE));
  });

  test('both end in order when their parent is killed', async () => {
    const service = await start();
    const fullKey = await newKey(service);
    const workers = childrenOf(service.pid);
    const { apiKeys, close } = connectClients(service.target);
    try {
      const stream = apiKeys.validateKeys(bearer('dev-validator-token'));
      stream.on('error', () => undefined);
      const streamEnd = new Promise<{ code: number }>((resolve) => stream.on('status', resolve));
      stream.write({ apiKey: fullKey, operation: 'OPERATION_READ' });
      await once(stream, 'data');
      service.child.kill('SIGKILL');
      // A call that was cut off would be UNAVAILABLE.
      expect((await streamEnd).code).toBe(status.OK);
      expect(await service.ended).toMatchObject({ signal: 'SIGKILL', err: '' });
      await eventually(async () => !workers.some(isRunning));
    } finally {
      close();
    }
  });

  test('all end when the launcher is gone', async () => {
    const service = await start();
    const workers = childrenOf(service.pid);
    service.child.disconnect();
    expect(await service.ended).toMatchObject({ code: 0, err: '' });
    expect(workers.filter(isRunning)).toEqual([]);
  });
});
