import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from './paths.mjs';

/**
 * What requests leave behind is collected a quarter as often as by default, which is work saved. The room is there from
 * the start, so that memory shows no growth that is none. Nothing is made in the old generation on the guess that it will
 * live long (ADR 8), and what grew old is collected once it is a quarter of the heap more; since Node 24, where that
 * costs throughput, once it has doubled it. The Dockerfile, which has Node 24, says the same.
 */
const growingPercent = Number.parseInt(process.versions.node, 10) < 24 ? 25 : 100;
export const serviceNodeFlags = [
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
  `--heap-growing-percent=${growingPercent}`,
  '--no-allocation-site-pretenuring',
];

/** One arena, trimmed: glibc would keep 150 MB of what was freed. The Dockerfile says the same. */
export const serviceMemory = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' };

/**
 * A part of Latchkey that runs until it is told to stop. It says `{ ready: true }` over the channel once it listens,
 * and ends by itself when the channel closes: so a killed start leaves none behind.
 * @typedef {object} Service
 * @property {Promise<boolean>} ready false when it ended before
 * @property {Promise<string>} exited how it ended, for people
 * @property {() => Promise<void>} stop
 */

/**
 * @param {string} script path under the checkout
 * @param {NodeJS.ProcessEnv} env
 * @returns {Service}
 */
export function startService(script, env) {
  const child = spawn(process.execPath, [...serviceNodeFlags, join(root, script)], {
    cwd: root,
    env: { ...serviceMemory, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // Its own process group: Ctrl+C in the terminal reaches us alone, and we stop things in order.
    detached: true,
  });
  const exited = new Promise((/** @type {(how: string) => void} */ resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  const ready = new Promise((/** @type {(ready: boolean) => void} */ resolve) => {
    child.on('message', (message) => {
      if (typeof message === 'object' && 'ready' in message && message.ready === true) resolve(true);
    });
    void exited.then(() => resolve(false));
  });
  const stop = async () => {
    child.kill('SIGTERM');
    const impatience = setTimeout(() => child.kill('SIGKILL'), 15_000);
    await exited;
    clearTimeout(impatience);
  };
  return { ready, exited, stop };
}
