import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freePort } from '../lib/ports.mjs';
import { Stop } from '../lib/stop.mjs';
import { until } from '../lib/wait.mjs';
import { cleanEnvironment } from './place.mjs';

/** Errors that may be temporary: another program took the port, or a killed server's sessions are still ending. */
const PASSING = /could not bind|Address already in use|pre-existing shared memory block/;

/** How a server is told to end: its sessions and leaving a clean cluster, or at once, leaving one that must recover. */
const [FAST, IMMEDIATE] = /** @type {const} */ (['SIGINT', 'SIGQUIT']);

/**
 * @param {object} launch
 * @param {import('./place.mjs').Place} launch.place
 * @param {string} launch.postgres
 * @param {Readonly<Record<string, string>>} launch.settings with the `port`, if it has to be a certain one
 * @param {NodeJS.ProcessEnv} [launch.env] in addition to a clean environment
 * @param {boolean} launch.detached whether it has its own process group, so that the terminal's Ctrl+C does not reach it
 */
export async function startServer({ place: { cluster, identity }, postgres, settings, env = {}, detached }) {
  const log = join(dirname(cluster), 'server.log');
  for (const deadline = Date.now() + 10_000; ;) {
    if (existsSync(log)) renameSync(log, `${log}.1`);
    // Never through a link ('x'): the folder belongs to the server's user, and this process may be root.
    const output = openSync(log, 'wx', 0o600);
    const port = settings['port'] ?? String(await freePort());
    const all = { ...settings, listen_addresses: '127.0.0.1', unix_socket_directories: '', port };
    const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const stdio = /** @type {import('node:child_process').StdioOptions} */ (['ignore', output, output]);
    const as = { ...identity, cwd: '/', env: { ...cleanEnvironment, ...env } };
    const child = spawn(postgres, ['-D', cluster, ...options], { ...as, stdio, detached });
    closeSync(output);
    const exited = once(child, 'exit');
    const stop = async () => {
      child.kill(FAST);
      const killTimer = setTimeout(() => child.kill(IMMEDIATE), 30_000);
      await exited;
      clearTimeout(killTimer);
    };
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
    const isReady = () => readPidFile(cluster).readyPid === child.pid;
    // Recovery after a crash may take long, so there is no short timeout; the end of the server is noticed at once.
    await until(() => hasEnded() || isReady(), 120_000);
    if (isReady() && !hasEnded()) return { port, exited, stop };
    await stop();
    const tail = readFileSync(log, 'utf8').trim().split('\n').slice(-5).join(' | ');
    if (!PASSING.test(tail) || Date.now() > deadline) throw new Stop(`PostgreSQL did not start (log: ${log}): ${tail}`);
  }
}

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

/** Empty for a process that has ended. @type {(pid: number) => string} */
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
 * The server writes these into its own file; pg_ctl reads them there, too. Two reads may see the files of two servers: the
 * state of one that was killed, and the number of the next one, which does not listen yet.
 * @param {string} cluster
 * @returns {{ pid: number, readyPid: number, port: string | undefined }} 0 without a server, or one that accepts connections
 */
export function readPidFile(cluster) {
  let text = '';
  try {
    text = readFileSync(join(cluster, 'postmaster.pid'), 'utf8');
  } catch {
    // No server has written it, or one has just removed it.
  }
  const [pid = '', , , port, , , , state = ''] = text.split('\n');
  return { pid: Number(pid), readyPid: /^(ready|standby)/.test(state) ? Number(pid) : 0, port };
}
