import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { serviceMemory, serviceNodeFlags } from '../../scripts/lib/service.mjs';

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/**
 * A process of the benchmark. It sends `{ ready: true, … }` over its channel once it can work.
 * @typedef {object} BenchProcess
 * @property {number} pid
 * @property {any} hello the message with `ready`
 * @property {number} startMs from the spawn until it was ready
 * @property {(order: object) => Promise<any>} ask sends an order, waits for its answer
 * @property {() => number} residentBytes
 * @property {() => Promise<void>} stop
 */

/**
 * @param {string} path from the bench's folder
 * @param {{ env?: Record<string, string>, isServer?: boolean }} [options] `isServer`: run with Latchkey's Node flags and
 *   memory settings, as everything that is compared with it does; clients run with Node's defaults
 * @returns {Promise<BenchProcess>}
 */
export async function start(path, { env = {}, isServer = true } = {}) {
  const began = performance.now();
  const script = fileURLToPath(new URL(`../${path}`, import.meta.url));
  const child = spawn(process.execPath, [...(isServer ? serviceNodeFlags : []), script], {
    env: { ...process.env, ...(isServer ? serviceMemory : {}), ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  running.add(child);
  const exited = new Promise((resolve) => child.once('exit', resolve)).then(() => running.delete(child));
  const hello = await message(child, path);
  return {
    pid: /** @type {number} */ (child.pid),
    hello,
    startMs: performance.now() - began,
    ask: (order) => {
      const answer = message(child, path);
      child.send(order);
      return answer;
    },
    residentBytes: () => residentBytes(/** @type {number} */ (child.pid)),
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {string} path
 * @returns {Promise<any>}
 */
function message(child, path) {
  return new Promise((resolve, reject) => {
    const ended = (/** @type {number | null} */ code) => reject(new Error(`${path} ended (${code ?? 'by a signal'})`));
    child.once('exit', ended);
    child.once('message', (answer) => {
      child.off('exit', ended);
      resolve(answer);
    });
  });
}

/** @param {number} pid */
function residentBytes(pid) {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1]) * 1024;
}
