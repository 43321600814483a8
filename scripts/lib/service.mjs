import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { root } from './paths.mjs';

/**
 * Flags for V8. It collects short-lived objects a quarter as often as by default, which saves work. The young
 * generation has its full size from the start, so that memory does not seem to grow. No object is allocated directly in
 * the old generation because V8 expects it to live long (ADR 8). The old generation is collected when the heap has
 * doubled. The Dockerfile sets the same flags.
 */
export const serviceNodeFlags = [
  '--min-semi-space-size=64',
  '--max-semi-space-size=64',
  '--heap-growing-percent=100',
  '--no-allocation-site-pretenuring',
];

/** One malloc arena, trimmed: otherwise glibc keeps 150 MB of freed memory. The Dockerfile sets the same. */
export const serviceMemory = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' };

/**
 * Starts a part of Latchkey, which runs until it is stopped. It sends `{ ready: true }` over its channel once it listens,
 * and ends by itself when the channel closes, so that a killed start leaves no part running.
 * @param {string} script path under the checkout
 * @param {NodeJS.ProcessEnv} env
 * @param {(lines: import('node:stream').Readable) => unknown} [print] prints its standard output, which is otherwise ours
 * @returns `ready` is false when the part ended before it was ready; `exited` is how it ended, in words
 */
export function startService(script, env, print) {
  const child = spawn(process.execPath, [...serviceNodeFlags, join(root, script)], {
    cwd: root,
    env: { ...serviceMemory, ...env },
    stdio: ['ignore', print ? 'pipe' : 'inherit', 'inherit', 'ipc'],
    // Its own process group: Ctrl+C in the terminal reaches only us, and we stop the parts in order.
    detached: true,
  });
  if (child.stdout) print?.(child.stdout);
  const exited = new Promise((/** @type {(how: string) => void} */ resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  // Its only message.
  const ready = Promise.race([once(child, 'message').then(() => true), exited.then(() => false)]);
  const stop = async () => {
    child.kill('SIGTERM');
    const killTimer = setTimeout(() => child.kill('SIGKILL'), 15_000);
    await exited;
    clearTimeout(killTimer);
  };
  return { ready, exited, stop };
}
