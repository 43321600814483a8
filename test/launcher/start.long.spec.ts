import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { snippet } from '../../scripts/lib/welcome.mjs';
import { until } from '../../scripts/lib/wait.mjs';
import { Checkout } from './checkout.js';
import { freePorts } from '../support/processes/hosted-service.mjs';
import { eventually } from '../support/eventually.js';
import { childrenOf, isRunning } from '../support/processes/processes.js';

/** Ends a test that hangs. */
const HANGS_AFTER_MS = 60_000;

/** The children of a process, their children, and so on. */
function descendantsOf(ancestor: number): number[] {
  return childrenOf(ancestor).flatMap((child) => [child, ...descendantsOf(child)]);
}

let checkout: Checkout;
let ports: Record<string, string>;

function newCheckout(): void {
  checkout = new Checkout();
  chmodSync(checkout.base, 0o711);
}
beforeEach(async () => {
  ports = await freePorts();
});

const runs = (pid: number) => existsSync(`/proc/${pid}`) && readFileSync(`/proc/${pid}/cmdline`).length > 0;
const postgresPid = () => Number.parseInt(checkout.read('.latchkey/postgres/cluster/postmaster.pid'), 10) || 0;

describe('npm start', () => {
  // One after the other in one checkout: its PostgreSQL is initialised once.
  beforeAll(newCheckout);
  afterEach(() => checkout.stop());
  afterAll(() => checkout.remove());

  it('starts PostgreSQL, the service and the resource service, says what to open and prints the snippet', async () => {
    const run = checkout.start(ports);
    await run.ready();
    const latchkey = `http://127.0.0.1:${ports['HTTP_PORT']}`;
    expect(run.output).toContain(`${latchkey}/settings/api-keys`);
    expect(run.output).toContain('demo@latchkey.dev');
    expect(run.output).toContain(snippet({ latchkey, systemsApi: `http://127.0.0.1:${ports['SYSTEMS_API_PORT']}` }));

    const service = checkout.seen('dist').env;
    expect(service['DATABASE_URL']).toMatch(/^postgresql:\/\/latchkey:[0-9a-f]{48}@127\.0\.0\.1:\d+\/latchkey$/);
    expect(service['DEMO']).toBe('on');
    expect(checkout.seen('examples/systems-api/dist').env).toMatchObject({
      SYSTEMS_API_PORT: ports['SYSTEMS_API_PORT'],
      LATCHKEY_GRPC_TARGET: `127.0.0.1:${ports['GRPC_PORT']}`,
      LATCHKEY_SERVICE_TOKEN: 'dev-validator-token',
    });
  });

  it('lets the command line reach its database, and says what to do when it does not run', async () => {
    checkout.write(
      'dist/composition/cli.js',
      `console.log(process.env.DATABASE_URL, process.argv.slice(2).join(' '));
       process.exitCode = process.env.DATABASE_URL ? 0 : 2;`,
    );
    const started = checkout.start(ports);
    await started.ready();
    const { DATABASE_URL } = checkout.seen('dist').env;
    const listed = checkout.run('scripts/latchkey.mjs', {}, ['account', 'list']);
    expect(await listed.ended).toBe(0);
    expect(listed.output).toBe(`${DATABASE_URL} account list\n`);
    started.child.kill('SIGTERM');
    await started.ended;
    const refused = checkout.run('scripts/latchkey.mjs', {}, ['account', 'list']);
    expect(await refused.ended).toBe(2);
    expect(refused.output).toMatch(/^undefined account list\n.*npm start in another terminal, or set DATABASE_URL\.$/m);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'on %s stops the outermost part first and exits with 0, also when the signal comes twice',
    async (signal) => {
      const run = checkout.start(ports);
      await run.ready();
      const postgres = postgresPid();
      run.child.kill(signal);
      run.child.kill(signal);
      expect(await run.ended).toBe(0);
      expect(checkout.read('ended')).toBe('SYSTEMS_API_PORT\nHTTP_PORT\n');
      expect(runs(postgres)).toBe(false);
    },
  );

  it('ends with one line when another one is running, and leaves that one as it is', async () => {
    const first = checkout.start(ports);
    await first.ready();
    const before = { seen: checkout.read('dist/seen.json'), postgres: postgresPid() };
    const second = checkout.start(await freePorts());
    expect(await second.ended).toBe(1);
    expect(second.output).toBe(`Latchkey is already running from ${checkout.folder}.\n`);
    expect({ seen: checkout.read('dist/seen.json'), postgres: postgresPid() }).toEqual(before);
    expect(runs(before.postgres)).toBe(true);
  });

  it('starts next to another one when DATA_DIR names another folder', async () => {
    const first = checkout.start(ports);
    const second = checkout.start({ ...(await freePorts()), DATA_DIR: `${checkout.base}/second` });
    await Promise.all([first.ready(), second.ready()]);
    second.child.kill('SIGTERM');
    expect(await second.ended).toBe(0);
    expect(runs(postgresPid())).toBe(true);
  });

  it('starts again after kill -9, which leaves no service behind', async () => {
    const first = checkout.start(ports);
    await first.ready();
    const killed = [checkout.seen('dist').pid, checkout.seen('examples/systems-api/dist').pid];
    const postgres = postgresPid();
    first.child.kill('SIGKILL');
    const second = checkout.start(ports);
    await second.ready();
    expect([...killed, postgres].filter(runs)).toEqual([]);
    second.child.kill('SIGTERM');
    expect(await second.ended).toBe(0);
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)('leaves no process behind when npm itself gets a %s', async (signal) => {
    const run = checkout.npmStart(ports);
    await run.ready();
    const all = descendantsOf(run.child.pid!);
    expect(all).toEqual(expect.arrayContaining([checkout.seen('dist').pid, postgresPid()]));
    run.child.kill(signal);
    await eventually(async () => !all.some(isRunning));
  });

  it('can be stopped before it is ready, and leaves nothing running', async () => {
    const run = checkout.start(ports);
    expect(await until(postgresPid, HANGS_AFTER_MS)).toBeGreaterThan(0);
    const postgres = postgresPid();
    run.child.kill('SIGINT');
    expect(await run.ended).toBe(0);
    expect(runs(postgres)).toBe(false);
  });

  it('stops PostgreSQL also when nobody reads its output any more', async () => {
    const run = checkout.start(ports);
    run.child.stdout?.destroy();
    run.child.stderr?.destroy();
    const answers = () => fetch(`http://127.0.0.1:${ports['SYSTEMS_API_PORT']}`).then(Boolean, () => false);
    expect(await until(answers, HANGS_AFTER_MS)).toBe(true);
    const postgres = postgresPid();
    process.kill(checkout.seen('examples/systems-api/dist').pid, 'SIGKILL');
    expect(await run.ended).toBe(1);
    expect(runs(postgres)).toBe(false);
  });

  it('stops everything and says so when a part ends by itself', async () => {
    const run = checkout.start(ports);
    await run.ready();
    const postgres = postgresPid();
    process.kill(checkout.seen('examples/systems-api/dist').pid, 'SIGKILL');
    expect(await run.ended).toBe(1);
    expect(run.output.trimEnd().split('\n').at(-1)).toBe('The systems API ended (SIGKILL): everything is stopped.');
    expect([checkout.seen('dist').pid, postgres].filter(runs)).toEqual([]);
  });

  it('says which part ended before it was ready', async () => {
    const run = checkout.start({ ...ports, FAIL: 'HTTP_PORT' });
    expect(await run.ended).toBe(1);
    expect(run.output).toBe('Latchkey ended before it was ready (exit code 3).\n');
    expect(postgresPid()).toBe(0);
  });
});

describe('npm start in a fresh checkout', () => {
  beforeEach(newCheckout);
  afterEach(() => checkout.remove());

  it('ends with one line when a port is taken, before anything is started', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(Number(ports['GRPC_PORT']), '127.0.0.1', resolve));
    try {
      const run = checkout.start(ports);
      expect(await run.ended).toBe(1);
      expect(run.output).toBe(`Port ${ports['GRPC_PORT']} is taken: set GRPC_PORT to a free one.\n`);
      expect(existsSync(`${checkout.folder}/.latchkey`)).toBe(false);
    } finally {
      other.close();
    }
  });

  it('needs no resource service and no PostgreSQL of its own with a DATABASE_URL', async () => {
    const run = checkout.start({ ...ports, DATABASE_URL: 'postgresql://elsewhere/db' });
    await run.ready();
    expect(checkout.seen('dist').env['DATABASE_URL']).toBe('postgresql://elsewhere/db');
    expect(checkout.seen('dist').env['DEMO']).toBeUndefined();
    expect(checkout.read('examples/systems-api/dist/seen.json')).toBe('');
    expect(existsSync(`${checkout.folder}/.latchkey`)).toBe(false);
  });
});
