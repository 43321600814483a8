import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freePort } from '../lib/ports.mjs';
import { Stop } from '../lib/stop.mjs';
import { until } from '../lib/wait.mjs';
import { cleanEnvironment } from './place.mjs';

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
  // Never through a link ('x'): the folder belongs to the server's user, and this process may be root.
  const output = openSync(log, 'wx', 0o600);
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
    child.kill(FAST);
    const killTimer = setTimeout(() => child.kill(IMMEDIATE), 30_000);
    await exited;
    clearTimeout(killTimer);
  };
  const isReady = () => {
    const file = readPidFile(cluster);
    return file.pid === child.pid && file.isReady;
  };
  // Recovery after a crash may take long, so there is no short timeout; the end of the server is noticed at once.
  await until(() => !running || isReady(), 120_000);
  if (running && !isReady()) await stop();
  return running ? { port, exited, stop } : undefined;
}

/** How a server is told to end: its sessions and leaving a clean cluster, or at once, leaving one that must recover. */
const [FAST, IMMEDIATE] = /** @type {const} */ (['SIGINT', 'SIGQUIT']);

/**
 * Ends the server that an earlier, killed start left running on this cluster. No other start can be using it, since the
 * caller holds the lock of the data folder.
 * @param {string} cluster
 */
export async function stopOrphan(cluster) {
  const { pid } = readPidFile(cluster);
  for (const signal of [FAST, IMMEDIATE]) {
    if (!isServerOf(pid, cluster)) break;
    process.kill(pid, signal);
    await until(() => !isServerOf(pid, cluster), 15_000);
  }
  if (isServerOf(pid, cluster)) throw new Stop(`An earlier PostgreSQL (process ${pid}) does not end: end it yourself.`);
  // Because of this file, PostgreSQL would take any living process with that number for its own server. Of another
  // server it may be right, if the folder was moved.
  if (!IS_SERVER.test(commandOf(pid))) rmSync(join(cluster, 'postmaster.pid'), { force: true });
}

/**
 * Whether a process is the server of that cluster. The process number alone proves nothing, because another program may
 * have it by now.
 * @param {number} pid
 * @param {string} cluster without symbolic links
 */
export function isServerOf(pid, cluster) {
  const command = commandOf(pid);
  return IS_SERVER.test(command) && command.includes(` -D ${cluster} `);
}

const IS_SERVER = /postgres -D /;

/**
 * @param {number} pid
 * @returns {string} empty for a process that has ended
 */
function commandOf(pid) {
  if (process.platform !== 'linux') {
    return spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout;
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
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
