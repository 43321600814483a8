import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../../../scripts/lib/ports.mjs';
import { until } from '../../../scripts/lib/wait.mjs';

/**
 * Starts a Redis on a free loopback port, without persistence. A suite that needs a failing Redis starts another.
 * @param {string} folder made for it
 * @param {number} [port] the port of an earlier one, to replace it
 * @param {readonly string[]} [settings] additional settings, in the form of the command line
 * @param {string} [sentinelFile] makes it a sentinel, with this file
 * @returns {Promise<{ url: string, port: number, pid: number, stop(): Promise<void> }>}
 */
export async function startRedis(folder, port, settings = [], sentinelFile) {
  mkdirSync(folder, { recursive: true });
  const listenOn = port ?? (await freePort());
  const log = openSync(join(folder, 'redis.log'), 'w');
  const where = ['--bind', '127.0.0.1', '--port', String(listenOn), '--dir', folder];
  const what = ['--pidfile', join(folder, 'redis.pid'), '--daemonize', 'no'];
  const kept = sentinelFile ? [] : ['--save', '', '--appendonly', 'no'];
  const sentinel = sentinelFile ? [sentinelFile, '--sentinel'] : [];
  const child = spawn('redis-server', [...sentinel, ...where, ...what, ...kept, ...settings], {
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  let running = true;
  const exited = new Promise((/** @type {(_: void) => void} */ resolve) => {
    child.once('exit', () => resolve()).once('error', () => resolve());
  }).then(() => void (running = false));
  const answered = await until(async () => !running || (await pong(listenOn)), 10_000);
  if (!answered || !running || !child.pid) {
    throw new Error(
      `redis-server did not start: ${readFileSync(join(folder, 'redis.log'), 'utf8').trim() || 'is it installed?'}`,
    );
  }
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
  };
  return { url: `redis://127.0.0.1:${listenOn}`, port: listenOn, pid: child.pid, stop };
}

/**
 * @param {number} port
 * @returns {Promise<boolean>}
 */
function pong(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.once('data', (answer) => {
      resolve(/^(\+PONG|-NOAUTH)/.test(answer.toString()));
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
  });
}
