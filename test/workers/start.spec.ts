import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createServer } from 'node:net';
import { freePort } from '../../scripts/lib/ports.mjs';
import { createDatabase } from '../support/databases.mjs';
import { eventually } from '../support/eventually.js';
import { childrenOf, isRunning, titleOf } from '../support/processes.js';
import { buildService, freePorts, ServiceProcess } from '../support/service-process.js';
import { sql } from '../support/sql.js';

const REDIS_URL = process.env['LATCHKEY_TEST_REDIS_URL']!;

describe('the start with WORKERS', () => {
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
    service.child.kill('SIGTERM');
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

  test('a dangerous setting is logged once, and what it is set to is not', async () => {
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
    service.child.kill('SIGTERM');
    const { code, out } = await service.ended;
    await own.drop();
    const warned = out.split('\n').filter((line) => line.includes('"level":40'));
    expect({ code, warned }).toEqual({
      code: 0,
      warned: [/SERVICE_TOKENS gives one token/, /PUBLIC_URL is http/, /is AUDIT_SEAL_KEY meant/].map((line) =>
        expect.stringMatching(line),
      ),
    });
    expect(out).not.toMatch(/S3cret|1{64}/);
  });

  test('an error in the configuration is reported once', async () => {
    const { code, err } = await new ServiceProcess({ DEMO: '1', WORKERS: '2', KEY_PREFIX: 'X' }).ended;
    expect(code).toBe(1);
    expect(err.trimEnd().split('\n')).toEqual([
      'latchkey: DATABASE_URL is missing',
      expect.stringMatching(/^latchkey: KEY_PREFIX must/),
    ]);
    const { err: workersErr } = await new ServiceProcess({ DEMO: '1', WORKERS: 'many', DATABASE_URL: database.url })
      .ended;
    expect(workersErr).toBe('latchkey: WORKERS must be a whole number from 1 to 64\n');
  });

  test('without WORKERS the service is the one process', async () => {
    const service = await ServiceProcess.startReady({ DATABASE_URL: database.url });
    // Its only child process hashes passwords and takes no requests.
    expect(childrenOf(service.pid).map(titleOf)).toEqual(['latchkey-hashing']);
    // Most other suites hash cheaply.
    const hashes = await sql(database.url, 'SELECT password_hash AS hash FROM accounts');
    expect(hashes).toEqual([{ hash: expect.stringMatching(/^\$argon2id\$v=19\$m=19456,(t=2,p=1|p=1,t=2)\$/) }]);
    service.child.kill('SIGTERM');
    expect(await service.ended).toEqual({ code: 0, signal: null, out: '', err: '' });
  });
});
