import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { serviceMemory, serviceNodeFlags } from '../../scripts/lib/service.mjs';

/** What ends with the benchmark at the latest. @type {Set<import('node:child_process').ChildProcess>} */
export const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** @typedef {Awaited<ReturnType<typeof start>>} BenchProcess */

/**
 * A process of the benchmark. It sends `{ ready: true, … }` over its channel once it can work.
 * @param {string} path from the bench's folder
 * @param {{ env?: Record<string, string>, isServer?: boolean }} [options] `isServer`: run with Latchkey's Node flags and
 *   memory settings, as everything that is compared with it does; clients run with Node's defaults
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
  const nextMessage = () =>
    new Promise((resolve, reject) => {
      const ended = (/** @type {number | null} */ code) =>
        reject(new Error(`${path} ended (${code ?? 'by a signal'})`));
      child.once('exit', ended);
      child.once('message', (message) => {
        child.off('exit', ended);
        resolve(message);
      });
    });
  /** The message with `ready`. @type {any} */
  const hello = await nextMessage();
  const pid = /** @type {number} */ (child.pid);
  return {
    pid,
    hello,
    /** From the spawn until it was ready. */
    startMs: performance.now() - began,
    /** Sends an order, and waits for its answer. @param {object} order @returns {Promise<any>} */
    send: (order) => {
      const answer = nextMessage();
      child.send(order);
      return answer;
    },
    residentBytes: () => Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024,
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
