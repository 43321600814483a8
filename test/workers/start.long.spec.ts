import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { status } from '@grpc/grpc-js';
import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { freePort } from '../../scripts/lib/ports.mjs';
import { CHEAP_HASH } from '../support/application/cheap.mjs';
import { createDatabase } from '../support/stores/databases.mjs';
import { eventually } from '../support/eventually.js';
import { connectClients } from '../support/callers/grpc-clients.js';
import { Person } from '../support/callers/person.js';
import { childrenOf, isRunning } from '../support/processes/processes.js';
import { rawRequest } from '../support/callers/raw-http.js';
import { buildService, ServiceProcess } from '../support/processes/service-process.js';
import { freePorts } from '../support/processes/hosted-service.mjs';
import { sql } from '../support/stores/sql.js';
import { BURST, Callers, logged, TEN_AT_ONCE } from './workers.js';

const REDIS_URL = process.env['LATCHKEY_TEST_REDIS_URL']!;
const CALLERS = 8;

describe('start and stop with WORKERS=2', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  beforeAll(async () => {
    await buildService();
    database = await createDatabase();
  });
  afterEach(() => ServiceProcess.killTheRest());
  afterAll(() => database.drop());

  test.each<[string, (service: ServiceProcess) => unknown]>([
    ['stopped by SIGINT', ({ child }) => child.kill('SIGINT')],
    ['disconnected from its launcher', ({ child }) => child.disconnect()],
  ])('a start that is %s before it is ready leaves no process behind', async (_, end) => {
    const service = new ServiceProcess({ DEMO: '1', WORKERS: '2', DATABASE_URL: database.url, ...(await freePorts()) });
    const [first] = await eventually(async () => childrenOf(service.pid).length > 0 && childrenOf(service.pid));
    end(service);
    expect(await service.ended).toMatchObject({ code: 0, err: '' });
    expect(isRunning(first!)).toBe(false);
  });

  test.each(['HTTP_PORT', 'GRPC_PORT', 'SERVICES_PORT'])(
    'a %s that is in use is reported once and ends the start',
    async (variable) => {
      const port = await freePort();
      const other = createServer();
      await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
      const env = { DEMO: '1', WORKERS: '2', DATABASE_URL: database.url, REDIS_URL, ...(await freePorts()) };
      const end = await new ServiceProcess({ ...env, [variable]: String(port) }).ended;
      other.close();
      expect(end).toMatchObject({ code: 1, out: expect.not.stringContaining('a worker ended') });
      const lines = end.err.split('\n').filter((line) => line.startsWith('latchkey: '));
      expect(lines).toEqual([`latchkey: port ${port} is taken: set ${variable} to a free one`]);
    },
  );

  test('each process has a row of its own among those that serve, which a stop leaves', async () => {
    const env = { WORKERS: '2', LEASE_MS: '2000', DATABASE_URL: database.url, REDIS_URL };
    const service = await ServiceProcess.startReady(env);
    const serving = () => sql(database.url, 'SELECT lease_ms FROM instances WHERE lease_ms > 0');
    await eventually(async () => (await serving()).length === 2);
    service.child.kill('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0, err: '' });
    expect(await serving()).toEqual([{ lease_ms: 2000 }, { lease_ms: 2000 }]);
  });

  test('an error in the configuration is reported once', async () => {
    const { code, err } = await new ServiceProcess({ DEMO: '1', WORKERS: '2', KEY_PREFIX: 'X' }).ended;
    expect(code).toBe(1);
    expect(err.trimEnd().split('\n')).toEqual([
      'latchkey: DATABASE_URL is missing',
      expect.stringMatching(/^latchkey: KEY_PREFIX must/),
    ]);
  });
});

describe('WORKERS=2 without Redis and with dangerous settings', () => {
  const token = 'one token of two services';
  const tokens = { validator: token, admin: token };
  const digest = createHash('sha256').update(token).digest('hex');
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let service: ServiceProcess;
  let person: Person;
  let callers: Callers | undefined;
  beforeAll(async () => {
    await buildService();
    database = await createDatabase();
    service = await ServiceProcess.startReady({
      DEMO: '0',
      WORKERS: '2',
      DATABASE_URL: database.url,
      ...TEN_AT_ONCE,
      PUBLIC_URL: 'http://10.0.0.7',
      SERVICE_TOKENS: `a:validator:${digest},a:accounts:${digest}`,
      AUDIT_SEALKEY: 'S3cret',
    });
    const { putAccount, close } = connectClients(service.target, tokens);
    await putAccount({ id: 'ada', email: 'ada@example.com', displayName: 'Ada', passwordHash: CHEAP_HASH });
    close();
    person = await new Person(service.url).signIn('ada@example.com');
  });
  afterEach(() => callers?.close());
  afterAll(async () => {
    await ServiceProcess.killTheRest();
    await database.drop();
  });

  /** How many of 40 validations over 8 connections are granted. */
  async function admittedOverGrpc(fullKey: string): Promise<number> {
    callers = new Callers(service.target, fullKey, CALLERS, tokens);
    const outcomes = await callers.validateUntil(({ length }) => length === 5);
    return outcomes.flat().filter((outcome) => outcome === 'grant').length;
  }

  /** The same over 40 connections. */
  async function admittedOverHttp(fullKey: string): Promise<number> {
    let admitted = 0;
    for (let sent = 0; sent < 40; sent += 1) {
      // A key may not list keys: 403, but the request is charged.
      const answer = await rawRequest(service, 'GET /v1/api-keys', [`Authorization: Bearer ${fullKey}`]);
      if (answer.status === 403) admitted += 1;
    }
    return admitted;
  }

  test('the start warns once of each setting without its value, and that each process has its own rate limit', () => {
    const warnings = [
      /SERVICE_TOKENS gives one token/,
      /PUBLIC_URL is http/,
      /Did you mean AUDIT_SEAL_KEY\?/,
      /^REDIS_URL is missing.* 2 times its limit$/,
    ];
    const entry = (msg: RegExp) => expect.objectContaining({ level: 40, msg: expect.stringMatching(msg) });
    expect(logged(service)).toEqual(warnings.map(entry));
    for (const secret of ['S3cret', digest]) expect(service.out).not.toContain(secret);
  });

  test('connections are spread over both workers, over gRPC and HTTP', async () => {
    expect(childrenOf(service.pid)).toHaveLength(2);
    // At least one of the eight connections belongs to the other worker: the first free worker takes the next one.
    expect(await admittedOverGrpc((await person.newKey()).fullKey)).toBeGreaterThanOrEqual(BURST + 5);
    expect(await admittedOverHttp((await person.newKey()).fullKey)).toBeGreaterThanOrEqual(2 * BURST);
  });

  test('on SIGTERM both workers answer calls in progress and end with code 0', async () => {
    const { apiKey, fullKey } = await person.newKey();
    callers = new Callers(service.target, fullKey, CALLERS, tokens);
    const workers = childrenOf(service.pid);
    const output = service.out;
    // A denial, past the limit, is an answer too.
    const outcomes = callers.validateUntil((soFar) => typeof soFar.at(-1) === 'number');
    const isUsed = async () => sql(database.url, 'SELECT FROM api_key_usage WHERE key_id = $1', [apiKey.id]);
    await eventually(async () => (await isUsed()).length > 0);
    service.child.kill('SIGTERM');
    expect(await service.ended).toEqual({ code: 0, signal: null, out: output, err: '' });
    expect(workers.filter(isRunning)).toEqual([]);
    // The last call of each caller finds no server any more; every other call was answered.
    const failed = (await outcomes).flat().filter((outcome) => typeof outcome === 'number');
    expect(failed).toEqual(new Array(CALLERS).fill(status.UNAVAILABLE));
  });
});
