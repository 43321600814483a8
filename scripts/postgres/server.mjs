import { spawn } from 'node:child_process';
import { closeSync, constants, existsSync, openSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freePort } from '../lib/ports.mjs';
import { Stop } from '../lib/stop.mjs';
import { until } from '../lib/wait.mjs';
import { cleanEnvironment } from './identity.mjs';
import { shutDown } from './processes.mjs';

/**
 * @typedef {object} Launch
 * @property {import('./place.mjs').Place} place
 * @property {string} postgres
 * @property {Readonly<Record<string, string>>} settings
 * @property {boolean} detached whether it has its own process group, so that the terminal's Ctrl+C does not reach it
 *
 * @typedef {object} Server
 * @property {number} port
 * @property {Promise<void>} exited
 * @property {() => Promise<void>} stop
 */

/** Errors that may be temporary: another program took the port, or a killed server's sessions are still ending. */
const passing = /could not bind|Address already in use|pre-existing shared memory block/;

/**
 * @param {Launch} launch
 * @returns {Promise<Server>}
 */
export async function startServer(launch, deadline = Date.now() + 10_000) {
  const log = join(dirname(launch.place.cluster), 'server.log');
  if (existsSync(log)) renameSync(log, `${log}.1`);
  const server = await launchOnce(launch, log, await freePort());
  if (server) return server;
  const tail = readFileSync(log, 'utf8').trim().split('\n').slice(-5);
  if (passing.test(tail.join('\n')) && Date.now() < deadline) return startServer(launch, deadline);
  throw new Stop(`PostgreSQL did not start (log: ${log}): ${tail.join(' | ')}`);
}

/**
 * @param {Launch} launch
 * @param {string} log
 * @param {number} port
 * @returns {Promise<Server | undefined>} undefined when it ended before it was ready
 */
async function launchOnce({ place: { cluster, identity }, postgres, settings, detached }, log, port) {
  // Never through a link: the folder belongs to the server's user, and this process may be root.
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants;
  const output = openSync(log, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  const fixed = { listen_addresses: '127.0.0.1', unix_socket_directories: '', port: String(port) };
  const options = Object.entries({ ...settings, ...fixed }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(postgres, ['-D', cluster, ...options], {
    ...identity,
    cwd: '/',
    env: cleanEnvironment,
    stdio: ['ignore', output, output],
    detached,
  });
  closeSync(output);
  let running = true;
  const exited = new Promise((/** @type {(_: void) => void} */ resolve) => {
    child.once('exit', () => resolve()).once('error', () => resolve());
  }).then(() => void (running = false));

  const stop = async () => {
    if (running && child.pid) shutDown(child.pid, 'fast', { cluster, postgres });
    const killTimer = setTimeout(() => {
      if (child.pid) shutDown(child.pid, 'immediate', { cluster, postgres });
    }, 30_000);
    await exited;
    clearTimeout(killTimer);
  };
  // Recovery after a crash may take long, so there is no short timeout; the end of the server is noticed at once.
  await until(() => !running || isReady(cluster, child.pid), 120_000);
  if (running && !isReady(cluster, child.pid)) await stop();
  return running ? { port, exited, stop } : undefined;
}

/**
 * @param {string} cluster
 * @param {number | undefined} pid
 */
function isReady(cluster, pid) {
  const file = readPidFile(cluster);
  return file.pid === pid && file.isReady;
}

/**
 * The server writes these into its own file; pg_ctl reads them there, too.
 * @param {string} cluster
 * @returns {{ pid: number, port: string | undefined, isReady: boolean }} the pid is 0 without such a file
 */
export function readPidFile(cluster) {
  const file = join(cluster, 'postmaster.pid');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  return { pid: Number.parseInt(lines[0] ?? '0', 10), port: lines[3], isReady: lines[7]?.trim() === 'ready' };
}
