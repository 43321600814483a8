import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { status } from '@grpc/grpc-js';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/lib/paths.mjs';
import { freePort } from '../../scripts/lib/ports.mjs';
import { DEMO_OWNER } from '#config/demo.js';
import { NOW } from '#infrastructure/outbound/postgres/client/database.js';
import { createDatabase } from '../support/stores/databases.mjs';
import { eventually } from '../support/eventually.js';
import { bearer, connectClients } from '../support/callers/grpc-clients.js';
import { printFigures } from '../support/jest/long-form.js';
import { Person } from '../support/callers/person.js';
import { childrenOf, titleOf } from '../support/processes/processes.js';
import { buildService, ServiceProcess } from '../support/processes/service-process.js';
import { startService } from '../support/processes/service.js';
import { sql } from '../support/stores/sql.js';
import { outcomeOf } from './measure.js';

/** The prefix of the keys that the first test leaves behind. */
const PREFIX = { KEY_PREFIX: 'acme' };

describe('the process of the service', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  beforeAll(async () => {
    await buildService();
    database = await createDatabase();
  });
  afterAll(async () => {
    await ServiceProcess.killTheRest();
    await database.drop();
  });

  const start = (env: Record<string, string>) => new ServiceProcess(env);
  const startReady = (env: Record<string, string>) =>
    ServiceProcess.startReady({ DATABASE_URL: database.url, ...PREFIX, ...env });

  const entries = ({ out }: { out: string }) =>
    out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));

  test('starts, serves and stops while its log goes to a full disk', async () => {
    const full = openSync('/dev/full', 'w');
    const service = await ServiceProcess.startReady(
      { DATABASE_URL: database.url, ...PREFIX, LOG_LEVEL: 'debug' },
      full,
    );
    closeSync(full);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    service.child.kill('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0, signal: null });
  });

  describe('that runs alone', () => {
    let service: ServiceProcess;
    beforeAll(async () => {
      service = await startReady({
        LOG_LEVEL: 'info',
        // On a busy machine, validations may be slow.
        SLOW_VALIDATION_MS: '0',
        RATE_LIMIT_PER_SECOND: '1000000',
        RATE_LIMIT_BURST: '1000000',
      });
    });

    test('is one process, with a second one that hashes passwords at full cost', async () => {
      expect(childrenOf(service.pid).map(titleOf)).toEqual(['latchkey-hashing']);
      // Most other suites hash cheaply.
      const hashes = await sql(database.url, 'SELECT password_hash AS hash FROM accounts');
      expect(hashes).toEqual([{ hash: expect.stringMatching(/^\$argon2id\$v=19\$m=19456,(t=2,p=1|p=1,t=2)\$/) }]);
    });

    test('logs its version and settings at the start, without a secret', () => {
      const url = new URL(database.url);
      const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
      const settings = { DATABASE_URL: `${url.protocol}//${url.host}${url.pathname}`, DEMO: 'on', LOG_LEVEL: 'info' };
      expect(entries(service)[0]).toMatchObject({
        level: 30,
        msg: 'starting',
        version,
        node: process.version,
        ...settings,
      });
      expect(url.password).not.toBe('');
      expect(service.out).not.toContain(url.password);
    });

    test('answers open calls on SIGTERM, writes the usage of keys, logs the reason and exits with 0', async () => {
      const { child, ended, url, target } = service;
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
        // Each caller has got one more grant, for a question that it sent after this moment.
        await eventually(async () => grants() > before + 2 * hammers.length);
        const signalledAt = performance.now();
        child.kill('SIGTERM');
        const { code, out, err } = await ended;
        const stoppedMs = performance.now() - signalledAt;
        await Promise.all(hammers);

        expect({ code, err }).toEqual({ code: 0, err: '' });
        expect(entries({ out }).filter(({ level }) => level > 30)).toEqual([]);
        expect(entries({ out }).at(-1)).toMatchObject({ level: 30, msg: 'stopping', reason: 'SIGTERM' });
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
        const [counted] = await sql<{ granted: number }>(
          database.url,
          'SELECT sum(granted)::int AS granted FROM api_key_days WHERE key_id = $1',
          [apiKey.id],
        );
        expect(counted!.granted).toBe(grants() + streamed.length);
        printFigures('a stop under load', { 'took ms': stoppedMs.toFixed(0), 'promised ms': 5000 });
      } finally {
        clients.close();
      }
    });
  });

  test('ends when its launcher has ended', async () => {
    const { child } = await startReady({});
    child.disconnect();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('logs the error that ended it', async () => {
    // As soon as the service could report it, without waiting until it is ready.
    const fault = `
      const check = () => {
        if (process.listenerCount('uncaughtExceptionMonitor') > 0) throw new Error('planted');
        setImmediate(check);
      };
      check();`;
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(fault)}`;
    const env = { DEMO: '1', DATABASE_URL: database.url, LOG_LEVEL: 'info', NODE_OPTIONS };
    const { code, out } = await start(env).ended;
    expect(code).toBe(1);
    // The previous line may then still be on its way to standard output, and arrive later.
    expect(entries({ out }).find(({ msg }) => msg === 'stopping')).toMatchObject({
      level: 60,
      reason: 'internal error',
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

  test('refuses to start without required variables, and names them', async () => {
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
    const SERVICE_TOKENS = `gateway:validator:${'5e'.repeat(32)}`;
    const env = { DEMO: '0', DATABASE_URL: database.url, SERVICE_TOKENS, ...PREFIX };
    const refusal: string = await startService(env).then(JSON.stringify, ({ message }) => message);
    expect(refusal).toMatch(/^DEMO is off, but the published password of the demo owner still works\..*$/);
    expect(refusal).not.toContain(DEMO_OWNER.password);

    const [mend] = /openssl rand .* --password-from -/.exec(refusal)!;
    // The command of an installation.
    const script = mend.replace('latchkey', `'${process.execPath}' '${join(root, 'dist/composition/cli.js')}'`);
    const done = spawnSync('sh', ['-c', script], { env: { ...process.env, DATABASE_URL: database.url } });
    expect({ code: done.status, err: done.stderr.toString() }).toEqual({ code: 0, err: '' });
    const again = await startService(env);
    const { email, password } = DEMO_OWNER;
    expect(await again.person().call('POST', '/v1/session', { email, password })).toMatchObject({ status: 401 });
    await again.stop();
  });

  test('a DATABASE_URL without the password that PostgreSQL asks for ends the start with one line', async () => {
    const url = new URL(database.url);
    url.password = '';
    const { code, err } = await start({ DEMO: '1', DATABASE_URL: url.href }).ended;
    expect({ code, err }).toEqual({
      code: 1,
      err: 'latchkey: DATABASE_URL: it has no password, and PostgreSQL asks for one\n',
    });
  });

  test('refuses to start when its database does not answer, in one line without the password', async () => {
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
    const stored = await sql(database.url, 'SELECT key_prefix AS "KEY_PREFIX" FROM api_keys');
    expect(stored).toEqual([PREFIX]);
    await expect(startService({ DATABASE_URL: database.url })).rejects.toThrow(/^KEY_PREFIX .*$/);
  });
});
