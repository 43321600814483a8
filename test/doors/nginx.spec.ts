import { describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../scripts/lib/paths.mjs';
import { freePort } from '../../scripts/lib/ports.mjs';
import { unknownKey } from '../support/callers/key-strings.js';
import { newOwner } from '../support/callers/owners.js';
import { startService } from '../support/processes/service.js';
import { SlowLine } from '../support/stores/slow-line.js';
import { createDatabase } from '../support/stores/databases.mjs';
import { EchoBackend } from './echo-backend.js';
import { ROUTES, SYSTEMS } from './guarded-backend.js';
import { snippetOf } from '../support/reading/pages.js';
import { guarantees } from './guarantees.js';
import { recipeText, startProxy } from './recipe.js';
import { NGINX, withUserTokens } from './recipes.js';

/** A port of which the queue of connections is full: the kernel drops what arrives, as a network does that is cut. */
async function silentAddress() {
  const code = `const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    process.stdout.write(String(server.address().port));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  const address = `127.0.0.1:${String(port)}`;
  // Linux keeps one connection more than the queue is long.
  const waiting = [1, 2].map(() => connect(Number(String(port)), '127.0.0.1'));
  await Promise.all(waiting.map((socket) => once(socket, 'connect')));
  return { address, stop: () => void [...waiting.map((socket) => socket.destroy()), child.kill('SIGKILL')] };
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

test.each(['forward-auth/nginx.conf', 'compose/nginx.conf', 'nginx/keys.conf'])(
  'deploy/%s gives up an instance that does not answer before Linux repeats a lost SYN, after a second',
  (file) => {
    const [, timeoutMs] = /^ *proxy_connect_timeout (\d+)ms;$/m.exec(readFileSync(join(root, 'deploy', file), 'utf8'))!;
    expect(Number(timeoutMs)).toBeLessThan(1000);
  },
);

describe.each([NGINX, withUserTokens(NGINX)])('$name before a backend', (recipe) => guarantees(recipe));

describe('deploy/forward-auth/nginx.conf', () => {
  test('keeps its connection to Latchkey over refusals', async () => {
    const service = await startService();
    const line = await SlowLine.to(service.url);
    const backend = await EchoBackend.start();
    const addresses = { latchkey: new URL(line.instead(service.url)).host, backend: backend.address };
    const proxy = await startProxy(NGINX, addresses);
    try {
      for (let left = 30; left > 0; left -= 1) {
        const refused = await fetch(`${proxy.url}${SYSTEMS}`, { headers: { authorization: `Bearer ${unknownKey()}` } });
        expect([refused.status, await refused.text()]).toEqual([401, '{"message":"invalid api key"}']);
      }
      expect(line.connections).toBe(1);
    } finally {
      await proxy.stop();
      backend.stop();
      line.close();
      await service.stop();
    }
  });

  test('grants the first request after both instances were away and one of them is back', async () => {
    const database = await createDatabase();
    const [one, two] = [String(await freePort()), String(await freePort())];
    const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
    const routes = join(folder, 'routes.json');
    writeFileSync(routes, ROUTES);
    const start = (HTTP_PORT: string) =>
      startService({ DATABASE_URL: database.url, HTTP_PORT, FORWARD_AUTH_ROUTES: routes });
    const instances = [await start(one), await start(two)];
    const backend = await EchoBackend.start();
    const addresses = { latchkey: `127.0.0.1:${one}`, second: `127.0.0.1:${two}`, backend: backend.address };
    const proxy = await startProxy(NGINX, addresses);
    try {
      const { fullKey } = await (await newOwner(instances[0]!)).person.newKey();
      const headers = { authorization: `Bearer ${fullKey}` };
      const status = async () => (await fetch(`${proxy.url}${SYSTEMS}`, { headers })).status;
      expect(await status()).toBe(200);
      for (const instance of instances.splice(0)) await instance.stop();
      for (let n = 0; n < 5; n += 1) expect(await status()).toBe(503);
      instances.push(await start(two));
      expect([await status(), await status(), await status()]).toEqual([200, 200, 200]);
    } finally {
      await proxy.stop();
      for (const instance of instances) await instance.stop();
      await backend.stop();
      await database.drop();
      rmSync(folder, { recursive: true });
    }
  });

  test('grants every request while one of two instances is behind a network that answers nothing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
    const routes = join(folder, 'routes.json');
    writeFileSync(routes, ROUTES);
    const service = await startService({ FORWARD_AUTH_ROUTES: routes });
    const [silent, backend] = [await silentAddress(), await EchoBackend.start()];
    const addresses = { latchkey: silent.address, second: new URL(service.url).host, backend: backend.address };
    const proxy = await startProxy(NGINX, addresses, { keepsConnectTimeout: true });
    try {
      const { fullKey } = await (await newOwner(service)).person.newKey();
      const headers = { authorization: `Bearer ${fullKey}` };
      const statuses = [];
      for (let n = 0; n < 4; n += 1) statuses.push((await fetch(`${proxy.url}${SYSTEMS}`, { headers })).status);
      expect(statuses).toEqual([200, 200, 200, 200]);
      expect(proxy.output()).toContain('upstream timed out (110: Connection timed out) while connecting to upstream');
    } finally {
      await proxy.stop();
      silent.stop();
      await backend.stop();
      await service.stop();
      rmSync(folder, { recursive: true });
    }
  });

  test('contains the lines that README shows', () => {
    const rest = linesOf(recipeText('nginx.conf'));
    for (const line of linesOf(snippetOf('README.md', 'One proxy', 'nginx'))) {
      expect(rest).toContain(line);
      rest.splice(0, rest.indexOf(line) + 1);
    }
  });
});
