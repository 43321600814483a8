import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from './paths.mjs';

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
// No command that we run may outlive us: two simultaneous `npm ci` would damage each other.
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** For a script that start.mjs or test.mjs runs as a step: makes it end when its parent ends, also by kill -9. */
export function endWithParent() {
  if (!process.channel) return;
  process.once('disconnect', () => process.exit(1));
  // This listener must not keep the process alive when its work is done.
  process.channel.unref();
}

/**
 * Runs a command to its end and collects its output.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions & { input?: string }} [options]
 * @returns {Promise<{ code: number, output: string }>} the code is 1 when a signal ended it, 127 when it cannot be run
 */
export function run(command, args, { input = '', ...options } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, ...options, stdio: ['pipe', 'pipe', 'pipe'] });
    running.add(child);
    let output = '';
    const keep = (/** @type {Buffer} */ chunk) => void (output += chunk.toString());
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    // A command may end without reading its input.
    child.stdin?.on('error', () => {}).end(input);
    const done = (/** @type {number} */ code) => {
      running.delete(child);
      resolve({ code, output });
    };
    child.on('error', (error) => {
      output += error.message;
      done(127);
    });
    child.on('close', (code) => done(code ?? 1));
  });
}

/**
 * Runs a script as a step of another script: its output is printed at once, and it ends when this process ends.
 * @param {string} script path under the checkout
 * @param {readonly string[]} [args]
 * @param {{ node?: string, flags?: readonly string[], env?: NodeJS.ProcessEnv, stdin?: 'ignore' | 'inherit' }}
 *   [options]
 * @returns {{ child: import('node:child_process').ChildProcess, code: Promise<number>, message: Promise<unknown> }}
 * `message` is the first one that it sends to this process, undefined if it ends without one
 */
export function step(script, args = [], { node = process.execPath, flags = [], stdin = 'ignore', env } = {}) {
  const child = spawn(node, [...flags, join(root, script), ...args], {
    cwd: root,
    env: env ?? process.env,
    stdio: [stdin, 'inherit', 'inherit', 'ipc'],
  });
  running.add(child);
  const message = new Promise((/** @type {(message: unknown) => void} */ resolve) => {
    child.once('message', resolve);
    for (const end of ['error', 'disconnect']) child.once(end, () => resolve(undefined));
  });
  const code = new Promise((/** @type {(code: number) => void} */ resolve) => {
    child.on('error', () => resolve(127));
    child.on('exit', (exitCode) => resolve(exitCode ?? 1));
  });
  void code.then(() => running.delete(child));
  return { child, code, message };
}

/**
 * Sends a message to the script that runs this one as a step, if there is one.
 * @param {object} message
 * @returns {Promise<void>} resolves once it is sent: it is lost if this process ends before that
 */
export function report(message) {
  return new Promise((resolve) => (process.send ? process.send(message, () => resolve()) : resolve()));
}
