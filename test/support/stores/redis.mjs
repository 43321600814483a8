import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../../scripts/lib/ports.mjs';
import { startServer } from './server-process.mjs';

/**
 * Starts a Redis on a free loopback port, without persistence. A suite that needs a failing Redis starts another. It can be
 * killed, frozen, and started again on its port.
 * @param {string} folder made for it
 * @param {number} [port] the port of an earlier one, to replace it
 * @param {readonly string[]} [settings] additional settings, in the form of the command line
 * @param {string} [sentinelFile] makes it a sentinel, with this file
 */
export async function startRedis(folder, port, settings = [], sentinelFile) {
  mkdirSync(folder, { recursive: true });
  const listenOn = port ?? (await freePort());
  const where = ['--bind', '127.0.0.1', '--port', String(listenOn), '--dir', folder];
  const what = ['--pidfile', join(folder, 'redis.pid'), '--daemonize', 'no'];
  const kept = sentinelFile ? [] : ['--save', '', '--appendonly', 'no'];
  const sentinel = sentinelFile ? [sentinelFile, '--sentinel'] : [];
  const args = [...sentinel, ...where, ...what, ...kept, ...settings];
  const cli = (/** @type {string[]} */ ...command) => redisCli('-p', String(listenOn), ...command);
  const answers = async () => /^(PONG|NOAUTH)/.test(await cli('PING').catch(() => ''));
  const start = () => startServer('redis-server', args, { log: join(folder, 'redis.log'), answers });
  let server = await start();
  return {
    url: `redis://127.0.0.1:${listenOn}`,
    port: listenOn,
    get pid() {
      return server.pid;
    },
    stop: () => server.end(),
    kill: () => server.end('SIGKILL'),
    freeze: () => server.signal('SIGSTOP'),
    thaw: () => server.signal('SIGCONT'),
    start: async () => void (server = await start()),
    cli,
  };
}

/** @param {string[]} args */
export async function redisCli(...args) {
  return (await promisify(execFile)('redis-cli', args, { timeout: 60_000 })).stdout;
}
