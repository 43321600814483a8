import { execFile, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { planFrom } from '../../scripts/lib/plan.mjs';
import { welcome } from '../../scripts/lib/welcome.mjs';
import { assertPortsFree, freePort } from '../../scripts/lib/ports.mjs';
import { freePorts } from '../support/processes/hosted-service.mjs';
import { acquireLock } from '../../scripts/lib/lock.mjs';
import { root } from '../../scripts/lib/paths.mjs';
import { run } from '../../scripts/lib/run.mjs';
import { readPidFile } from '../../scripts/postgres/server.mjs';

describe('the plan of a start', () => {
  it.each([
    ['nothing set', {}, 'on', true],
    ['DEMO=off', { DEMO: 'off' }, 'off', false],
    ['production', { NODE_ENV: 'production' }, undefined, false],
    ['production with DEMO=1, which the service refuses', { NODE_ENV: 'production', DEMO: '1' }, '1', false],
    ['an address that others reach', { HOST: '0.0.0.0' }, undefined, false],
    ['another loopback address', { HOST: '127.0.0.2' }, 'on', true],
    ['an address that a proxy makes public', { PUBLIC_URL: 'https://keys.example.com' }, undefined, false],
    ['a name that only begins like loopback', { PUBLIC_URL: 'http://127.0.0.1.example.com' }, undefined, false],
    ['a PUBLIC_URL that is no URL', { PUBLIC_URL: 'localhost:3000' }, undefined, false],
    ['a PUBLIC_URL on loopback', { PUBLIC_URL: 'http://localhost:3000/' }, 'on', true],
    ['a PUBLIC_URL on loopback in IPv6', { PUBLIC_URL: 'http://[::1]:3000' }, 'on', true],
    ['a public address and DEMO=1', { PUBLIC_URL: 'https://keys.example.com', DEMO: '1' }, '1', true],
    ['a database of its own', { DATABASE_URL: 'postgresql://db' }, undefined, false],
    ['a database of its own and DEMO=on', { DATABASE_URL: 'postgresql://db', DEMO: 'on' }, 'on', true],
    ['a database of its own and DEMO=1', { DATABASE_URL: 'postgresql://db', DEMO: '1' }, '1', true],
  ])('has demo values only where it is private, with %s', (_, env, demoForService, demo) => {
    const plan = planFrom(env);
    expect({ demoForService: plan.serviceEnv['DEMO'], demo: plan.demo }).toEqual({ demoForService, demo });
    expect('ADMIN_PERMISSION' in plan.serviceEnv).toBe(demo);
  });

  it('has the documented ports by default', () => {
    const ports = { HTTP_PORT: '3000', GRPC_PORT: '50051' };
    expect(planFrom({}).ports).toEqual({ ...ports, SERVICES_PORT: '3080', SYSTEMS_API_PORT: '4000' });
    expect(planFrom({ DEMO: 'off' })).toMatchObject({ ports, serviceEnv: { SERVICES_PORT: '' } });
    expect(planFrom({ DEMO: 'off' }).ports).toEqual(ports);
  });

  it.each([
    ['::1', '[::1]:50051'],
    ['0.0.0.0', '127.0.0.1:50051'],
    ['localhost', 'localhost:50051'],
  ])('with HOST=%s lets the systems API call the service at %s', (host, target) => {
    expect(planFrom({ HOST: host }).systemsApiEnv['LATCHKEY_GRPC_TARGET']).toBe(target);
  });

  it.each([
    [{}, true],
    [{ OIDC_ISSUER: 'https://login.example.com' }, false],
    [{ SESSION_JWKS_URL: 'https://login.example.com/jwks.json' }, false],
    [{ OIDC_ISSUER: 'https://login.example.com', PASSWORD_SIGN_IN: 'on' }, true],
    [{ PASSWORD_SIGN_IN: 'off' }, false],
  ])('shows the password of the demo only where people sign in with one, with %j', (env, isShown) => {
    expect(welcome(planFrom(env), undefined, 1).includes('correct horse')).toBe(isShown);
  });
});

const noWaitMs = 0;

describe('a free port', () => {
  it('is given once, even where two processes choose from the same few', async () => {
    const own = await Promise.all(Array.from({ length: 30 }, () => freePort(9000, 9060)));
    expect(new Set(own).size).toBe(30);
    const script = `import { freePort } from ${JSON.stringify(pathToFileURL('scripts/lib/ports.mjs').href)};
      console.log(JSON.stringify(await Promise.all(Array.from({ length: 20 }, () => freePort(9000, 9060)))));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
    expect(own.filter((port) => (JSON.parse(stdout) as number[]).includes(port))).toEqual([]);
  });
});

describe('the check of the ports', () => {
  it.each(['HTTP_PORT', 'GRPC_PORT', 'SERVICES_PORT', 'SYSTEMS_API_PORT'] as const)(
    'names %s when its port is taken',
    async (variable) => {
      const ports = await freePorts();
      const other = createServer();
      await new Promise<void>((resolve) => other.listen(Number(ports[variable]), '127.0.0.1', resolve));
      const refusal = assertPortsFree('127.0.0.1', ports, noWaitMs);
      await expect(refusal).rejects.toThrow(`Port ${ports[variable]} is taken: set ${variable} to a free one.`);
      await new Promise((resolve) => other.close(resolve));
      await expect(assertPortsFree('127.0.0.1', ports, noWaitMs)).resolves.toBeUndefined();
    },
  );

  it('waits while a killed start releases its ports', async () => {
    const ports = await freePorts();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(Number(ports['HTTP_PORT']), '127.0.0.1', resolve));
    const free = assertPortsFree('127.0.0.1', ports, 20_000);
    setImmediate(() => other.close());
    await expect(free).resolves.toBeUndefined();
  });

  it('refuses two variables with the same port', async () => {
    const { HTTP_PORT: port = '' } = await freePorts();
    const refusal = assertPortsFree('127.0.0.1', { HTTP_PORT: port, GRPC_PORT: port }, noWaitMs);
    await expect(refusal).rejects.toThrow(`set GRPC_PORT to a free one`);
  });

  it.each(['0', '65536', 'http', '-1', '3000 '])('refuses %j as a port', async (text) => {
    const refusal = assertPortsFree('127.0.0.1', { HTTP_PORT: text }, noWaitMs);
    await expect(refusal).rejects.toThrow('HTTP_PORT must be a port from 1 to 65535.');
  });

  it('names HOST when it is no address of this machine', async () => {
    const refusal = assertPortsFree('192.0.2.1', await freePorts(), noWaitMs);
    await expect(refusal).rejects.toThrow('set HOST to an address of this machine');
  });
});

describe('the lock', () => {
  it('has one holder, and is free after its release', async () => {
    const name = randomUUID();
    const lock = await acquireLock(name);
    expect(await acquireLock(name)).toBeUndefined();
    await lock?.release();
    const next = await acquireLock(name);
    expect(next).toBeDefined();
    await next?.release();
  });

  it('does not block a lock with another name', async () => {
    const locks = await Promise.all([acquireLock(randomUUID()), acquireLock(randomUUID())]);
    expect(locks).not.toContain(undefined);
    await Promise.all(locks.map((lock) => lock?.release()));
  });

  it('is acquired by exactly one of many simultaneous callers', async () => {
    const name = randomUUID();
    const locks = await Promise.all(Array.from({ length: 20 }, () => acquireLock(name)));
    const held = locks.filter((lock) => lock !== undefined);
    expect(held).toHaveLength(1);
    await held[0]?.release();
  });

  it('is released when its holder is ended with kill -9', async () => {
    const name = randomUUID();
    const module = JSON.stringify(join(root, 'scripts/lib/lock.mjs'));
    const script = `const { acquireLock } = await import(${module}); await acquireLock('${name}'); console.log('held'); setInterval(() => {}, 1000);`;
    const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => holder.stdout.once('data', resolve));
    expect(await acquireLock(name)).toBeUndefined();
    const ended = new Promise((resolve) => holder.once('exit', resolve));
    holder.kill('SIGKILL');
    await ended;
    const lock = await acquireLock(name);
    expect(lock).toBeDefined();
    await lock?.release();
  });
});

describe('what a PostgreSQL writes about itself', () => {
  it('is read as of one server, even while the next one replaces it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pid-file-'));
    const file = JSON.stringify(join(folder, 'postmaster.pid'));
    const script = `const { rmSync, writeFileSync } = await import('node:fs');
      const states = ['1\\n\\n\\n\\n\\n\\n\\nready   \\n', '2\\n\\n\\n\\n\\n\\n\\nstarting\\n'];
      for (let turn = 0; ; turn += 1) {
        rmSync(${file}, { force: true });
        writeFileSync(${file}, states[turn % 2], { flag: 'wx' });
      }`;
    const writer = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
    const seen = new Set<string>();
    for (let reads = 0; reads < 20_000 || seen.size < 3; reads += 1) {
      const { pid, readyPid } = readPidFile(folder);
      seen.add(`${pid} ${readyPid}`);
    }
    writer.kill('SIGKILL');
    expect([...seen].sort()).toEqual(['0 0', '1 1', '2 0']);
  });
});

describe('what a command prints', () => {
  it('comes in its order, whichever stream it is on', async () => {
    const script = 'for n in 1 2 3; do echo $n; echo $n >&2; done; exit 3';
    expect(await run('sh', ['-c', script])).toEqual({ code: 3, output: '1\n1\n2\n2\n3\n3\n' });
  });

  it('says which command there is none of', async () => {
    const { code, output } = await run('latchkey-has-no-such-command', []);
    expect([code, output]).toEqual([127, expect.stringMatching(/latchkey-has-no-such-command: not found/)]);
  });
});
