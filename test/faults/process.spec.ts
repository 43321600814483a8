import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { status } from '@grpc/grpc-js';
import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/lib/paths.mjs';
import { freePort } from '../../scripts/lib/ports.mjs';
import { DEMO_OWNER } from '../../src/config/demo.js';
import { NOW } from '../../src/infrastructure/outbound/postgres/connection/database.js';
import { createDatabase } from '../support/databases.mjs';
import { eventually } from '../support/eventually.js';
import { bearer, connectClients } from '../support/grpc-clients.js';
import { expectWithinMs } from '../support/long-form.js';
import { Person } from '../support/person.js';
import { buildService, freePorts, ServiceProcess } from '../support/service-process.js';
import { sql } from '../support/sql.js';
import { outcomeOf } from './measure.js';

describe('the process of the service', () => {
  const children: ChildProcess[] = [];
  let database: Awaited<ReturnType<typeof createDatabase>>;
  beforeAll(async () => {
    await buildService();
    database = await createDatabase();
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });
  afterAll(() => database.drop());

  function start(env: Record<string, string>): ServiceProcess {
    const service = new ServiceProcess(env);
    children.push(service.child);
    return service;
  }

  async function startReady(env: Record<string, string> = {}): Promise<ServiceProcess> {
    const service = await ServiceProcess.startReady({ DATABASE_URL: database.url, ...env });
    children.push(service.child);
    return service;
  }

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'answers on %s what is under way, keeps what it knows of last uses, and ends with code 0',
    async (signal) => {
      const unlimited = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' };
      const { child, ended, url, target } = await startReady(unlimited);
      const person = await new Person(url).signIn();
      const { apiKey, fullKey } = await person.newKey();
      const clients = connectClients(target);
      try {
        const stream = clients.apiKeys.validateKeys(bearer('dev-validator-token'));
        const streamed: unknown[] = [];
        stream.on('data', (answer) => streamed.push(answer)).on('error', () => undefined);
        const streamEnd = new Promise<{ code: number }>((resolve) => stream.on('status', resolve));
        let hasEnded = false;
        void streamEnd.then(() => (hasEnded = true));
        const outcomes = new Map<string | number, number>();
        const hammer = async () => {
          for (;;) {
            const outcome = await outcomeOf(clients.validate(fullKey));
            outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
            if (outcome !== 'grant') return;
            if (!hasEnded) stream.write({ apiKey: fullKey, operation: 'OPERATION_READ' });
          }
        };
        const hammers = Array.from({ length: 32 }, hammer);
        await once(stream, 'data');
        const [marked] = await sql<{ at: Date }>(database.url, `SELECT ${NOW} AS at`);
        const grants = () => Number(outcomes.get('grant'));
        const before = grants();
        // Each caller has been granted once more, for a question that it asked after this moment.
        await eventually(async () => grants() > before + 2 * hammers.length);
        const signalledAt = performance.now();
        child.kill(signal);
        const { code, out, err } = await ended;
        await Promise.all(hammers);

        expect({ code, out, err }).toEqual({ code: 0, out: '', err: '' });
        // The last call of each caller finds no server any more; every other call was answered.
        expect(Object.fromEntries(outcomes)).toEqual({ grant: expect.any(Number), [status.UNAVAILABLE]: 32 });
        expect((await streamEnd).code).toBe(status.OK);
        expect(streamed.length).toBeGreaterThan(0);
        const [used] = await sql<{ at: Date }>(
          database.url,
          'SELECT last_used_at AS at FROM api_key_usage WHERE key_id = $1',
          [apiKey.id],
        );
        // If the last uses of a busy key were written only once a minute, this one would still be missing.
        expect(used!.at.getTime()).toBeGreaterThanOrEqual(marked!.at.getTime());
        expectWithinMs(performance.now() - signalledAt, 5000);
      } finally {
        clients.close();
        await sql(database.url, 'TRUNCATE api_keys, api_key_usage, sessions');
      }
    },
  );

  test('ends by itself when the launcher that it talks to is gone', async () => {
    const { child } = await startReady();
    child.disconnect();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  const entries = (out: string) =>
    out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string });

  test('says with which version and settings it starts, without a secret, and that a signal ended it', async () => {
    const { child, ended } = await startReady({ LOG_LEVEL: 'info' });
    child.kill('SIGTERM');
    const { out } = await ended;
    const url = new URL(database.url);
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    const settings = { DATABASE_URL: `${url.protocol}//${url.host}${url.pathname}`, DEMO: 'on', LOG_LEVEL: 'info' };
    const told = entries(out);
    expect(told[0]).toMatchObject({ level: 30, msg: 'starting', version, node: process.version, ...settings });
    expect(told.at(-1)).toMatchObject({ level: 30, msg: 'stopping', reason: 'SIGTERM' });
    expect(url.password).not.toBe('');
    expect(out).not.toContain(url.password);
  });

  test('says which fault ended it', async () => {
    const fault = `process.once('SIGUSR2', () => { throw new Error('planted'); })`;
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(fault)}`;
    const { child, ended } = await startReady({ LOG_LEVEL: 'info', NODE_OPTIONS });
    child.kill('SIGUSR2');
    const { code, out } = await ended;
    expect(code).toBe(1);
    expect(entries(out).at(-1)).toMatchObject({
      level: 60,
      msg: 'stopping',
      reason: 'a fault',
      stack: expect.stringMatching(/^Error: planted\n/),
    });
  });

  test('refuses to start with one line for each variable that is wrong, and prints no value', async () => {
    const secret = 'correct-horse-battery';
    const { ended } = start({
      DATABASE_URL: `mysql://latchkey:${secret}@127.0.0.1/latchkey`,
      SERVICE_TOKENS: `gateway:root:${secret},${secret}`,
      LOG_LEVEL: 'info',
    });
    const { code, out, err } = await ended;
    expect({ code, out }).toEqual({ code: 1, out: '' });
    const lines = err.trimEnd().split('\n');
    expect(lines.map((line) => line.replace(/^latchkey: (\w+) .*$/, '$1')).sort()).toEqual([
      'DATABASE_URL',
      'SERVICE_TOKENS',
    ]);
    expect(err).not.toContain(secret);
  });

  test('refuses to start without what it needs, and says what is missing', async () => {
    const { code, err } = await start({}).ended;
    expect(code).toBe(1);
    expect(err.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^latchkey: SERVICE_TOKENS is missing/),
      expect.stringMatching(/^latchkey: DATABASE_URL is missing/),
    ]);
  });

  test('refuses to start with demo values in production', async () => {
    const { code, err } = await start({ DEMO: '1', NODE_ENV: 'production', DATABASE_URL: database.url }).ended;
    expect(code).toBe(1);
    expect(err).toMatch(/^latchkey: DEMO [^\n]*\n$/);
  });

  test('refuses to start without demo values while the demo password works, and says how to mend it', async () => {
    const { child, ended } = await startReady();
    child.kill('SIGTERM');
    await ended;
    const SERVICE_TOKENS = `gateway:validator:${'5e'.repeat(32)}`;
    const env = { DATABASE_URL: database.url, SERVICE_TOKENS, ...(await freePorts()) };
    const { code, err } = await start(env).ended;
    expect({ code, lines: err.split('\n').length }).toEqual({ code: 1, lines: 2 });
    expect(err).toMatch(/^latchkey: DEMO is off, but the published password of the demo owner still works here/);
    expect(err).not.toContain(DEMO_OWNER.password);

    const [mend] = /openssl rand .* --password-from -/.exec(err)!;
    // The command that an installation has.
    const script = mend.replace('latchkey', `'${process.execPath}' '${join(root, 'dist/composition/cli.js')}'`);
    const done = spawnSync('sh', ['-c', script], { env: { ...process.env, DATABASE_URL: database.url } });
    expect({ code: done.status, err: done.stderr.toString() }).toEqual({ code: 0, err: '' });
    const again = start(env);
    await once(again.child, 'message');
    const { status: signedIn } = await new Person(again.url).call('POST', '/v1/session', {
      email: DEMO_OWNER.email,
      password: DEMO_OWNER.password,
    });
    expect(signedIn).toBe(401);
    again.child.kill('SIGTERM');
    await again.ended;
  });

  test('refuses to start over a database that is away, in one line without its password', async () => {
    const url = new URL(database.url);
    const { password } = url;
    url.port = String(await freePort());
    const { code, out, err } = await start({ DEMO: '1', DATABASE_URL: url.href }).ended;
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^latchkey: DATABASE_URL[^\n]*\n$/);
    expect(password).not.toBe('');
    expect(err).not.toContain(password);
  });

  test('refuses to start with a KEY_PREFIX that differs from the stored keys, in one line', async () => {
    const { child, ended, url } = await startReady({ KEY_PREFIX: 'acme' });
    const { fullKey } = await (await new Person(url).signIn(DEMO_OWNER.email)).newKey();
    expect(fullKey).toMatch(/^acme_/);
    child.kill('SIGTERM');
    await ended;
    const other = await start({ DEMO: '1', DATABASE_URL: database.url, ...(await freePorts()) }).ended;
    expect(other).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/^latchkey: KEY_PREFIX [^\n]*\n$/) });
    await sql(database.url, 'TRUNCATE api_keys');
  });
});
