import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { status } from '@grpc/grpc-js';
import { createServer } from 'node:net';
import { freePort } from '../../scripts/lib/ports.mjs';
import { Callers } from '../support/callers.js';
import { createDatabase } from '../support/databases.mjs';
import { eventually } from '../support/eventually.js';
import { Person } from '../support/person.js';
import { childrenOf, isRunning } from '../support/processes.js';
import { rawRequest } from '../support/raw-http.js';
import { buildService, freePorts, ServiceProcess } from '../support/service-process.js';
import { sql } from '../support/sql.js';
import { BURST, logged, TEN_AT_ONCE } from './workers.js';

const REDIS_URL = process.env['LATCHKEY_TEST_REDIS_URL']!;
const CALLERS = 8;

describe('the start and the end with WORKERS', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  beforeAll(async () => {
    await buildService();
    database = await createDatabase();
  });
  afterEach(() => ServiceProcess.killTheRest());
  afterAll(() => database.drop());

  test('a start that is stopped before it is ready leaves nothing behind', async () => {
    const service = new ServiceProcess({ DEMO: '1', WORKERS: '2', DATABASE_URL: database.url, ...(await freePorts()) });
    const [first] = await eventually(async () => childrenOf(service.pid).length > 0 && childrenOf(service.pid));
    service.child.kill('SIGINT');
    expect(await service.ended).toMatchObject({ code: 0, err: '' });
    expect(isRunning(first!)).toBe(false);
  });

  test.each(['HTTP_PORT', 'GRPC_PORT'])('a %s that is taken is reported once and ends the start', async (variable) => {
    const port = await freePort();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
    const env = { DEMO: '1', WORKERS: '2', DATABASE_URL: database.url, REDIS_URL, ...(await freePorts()) };
    const end = await new ServiceProcess({ ...env, [variable]: String(port) }).ended;
    other.close();
    expect(end).toMatchObject({ code: 1, out: expect.not.stringContaining('a worker ended') });
    const lines = end.err.split('\n').filter((line) => line.startsWith('latchkey: '));
    expect(lines).toEqual([`latchkey: port ${port} is taken: set ${variable} to a free one`]);
  });

  test('an error in the configuration is reported once', async () => {
    const { code, err } = await new ServiceProcess({ DEMO: '1', WORKERS: '2', KEY_PREFIX: 'X' }).ended;
    expect(code).toBe(1);
    expect(err.trimEnd().split('\n')).toEqual([
      'latchkey: DATABASE_URL is missing',
      expect.stringMatching(/^latchkey: KEY_PREFIX must/),
    ]);
  });

  test('a dangerous setting is logged once, and what it is set to is not; all end when the launcher is gone', async () => {
    const digest = '1'.repeat(64);
    // Of the other one everybody knows a password: a demo ran on it.
    const own = await createDatabase();
    const service = await ServiceProcess.startReady({
      DEMO: '0',
      WORKERS: '2',
      DATABASE_URL: own.url,
      REDIS_URL,
      PUBLIC_URL: 'http://10.0.0.7',
      SERVICE_TOKENS: `a:validator:${digest},a:accounts:${digest}`,
      AUDIT_SEALKEY: 'S3cret',
    });
    const workers = childrenOf(service.pid);
    service.child.disconnect();
    const { code, out, err } = await service.ended;
    await own.drop();
    expect(workers).toHaveLength(2);
    expect(workers.filter(isRunning)).toEqual([]);
    const warned = out.split('\n').filter((line) => line.includes('"level":40'));
    expect({ code, err, warned }).toEqual({
      code: 0,
      err: '',
      warned: [/SERVICE_TOKENS gives one token/, /PUBLIC_URL is http/, /is AUDIT_SEAL_KEY meant/].map((line) =>
        expect.stringMatching(line),
      ),
    });
    expect(out).not.toMatch(/S3cret|1{64}/);
  });
});

describe('with WORKERS=2 and without Redis', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let service: ServiceProcess;
  let person: Person;
  let callers: Callers | undefined;
  beforeAll(async () => {
    await buildService();
    database = await createDatabase();
    service = await ServiceProcess.startReady({ WORKERS: '2', DATABASE_URL: database.url, ...TEN_AT_ONCE });
    person = await new Person(service.url).signIn();
  });
  afterEach(() => callers?.close());
  afterAll(async () => {
    await ServiceProcess.killTheRest();
    await database.drop();
  });

  /** The number of admitted questions out of 40, asked over 8 connections. */
  async function admittedOverGrpc(fullKey: string): Promise<number> {
    callers = new Callers(service.target, fullKey, CALLERS);
    const told = await callers.askUntil(({ length }) => length === 5);
    return told.flat().filter((outcome) => outcome === 'grant').length;
  }

  /** The same over 40 connections. */
  async function admittedOverHttp(fullKey: string): Promise<number> {
    let admitted = 0;
    for (let asked = 0; asked < 40; asked += 1) {
      // A key may not list keys: 403, but the request is charged.
      const answer = await rawRequest(service, 'GET /v1/api-keys', [`Authorization: Bearer ${fullKey}`]);
      if (answer.status === 403) admitted += 1;
    }
    return admitted;
  }

  test('connections spread over both, over gRPC and HTTP; the start says that each counts for itself', async () => {
    expect(childrenOf(service.pid)).toHaveLength(2);
    // At least one of the eight connections belongs to the other worker: the first free worker takes the next one.
    expect(await admittedOverGrpc((await person.newKey()).fullKey)).toBeGreaterThanOrEqual(BURST + 5);
    expect(await admittedOverHttp((await person.newKey()).fullKey)).toBeGreaterThanOrEqual(2 * BURST);
    expect(logged(service)).toEqual([
      expect.objectContaining({ level: 40, msg: expect.stringMatching(/^REDIS_URL is missing.* 2 times its limit$/) }),
    ]);
  });

  test('on SIGTERM both answer what is under way and end, with code 0', async () => {
    const { apiKey, fullKey } = await person.newKey();
    callers = new Callers(service.target, fullKey, CALLERS);
    const workers = childrenOf(service.pid);
    const said = service.out;
    // A denial, past the limit, is an answer too.
    const told = callers.askUntil((toldSoFar) => typeof toldSoFar.at(-1) === 'number');
    const isUsed = async () => sql(database.url, 'SELECT FROM api_key_usage WHERE key_id = $1', [apiKey.id]);
    await eventually(async () => (await isUsed()).length > 0);
    service.child.kill('SIGTERM');
    expect(await service.ended).toEqual({ code: 0, signal: null, out: said, err: '' });
    expect(workers.filter(isRunning)).toEqual([]);
    // The last call of each caller finds no server any more; every other call was answered.
    const failed = (await told).flat().filter((outcome) => typeof outcome === 'number');
    expect(failed).toEqual(new Array(CALLERS).fill(status.UNAVAILABLE));
  });
});
