import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './paths.mjs';
import { Stop } from './stop.mjs';

const execute = promisify(execFile);

/**
 * Runs a command to its end and collects what it prints, in one stream.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').ExecFileOptions & { input?: string }} [options]
 * @returns {Promise<{ code: number, output: string }>} the code is 1 when a signal ended it, 127 when there is no such command
 */
export async function run(command, args, { input = '', ...options } = {}) {
  const all = ['-c', 'exec "$0" "$@" 2>&1', command, ...args];
  const running = execute('/bin/sh', all, { cwd: root, maxBuffer: Infinity, ...options, encoding: 'utf8' });
  // No command that we run may outlive us: two simultaneous `npm ci` would damage each other.
  const kill = () => running.child.kill('SIGKILL');
  process.once('exit', kill);
  // A command may end without reading its input.
  running.child.stdin?.on('error', () => {}).end(input);
  const ended = await running.then((printed) => ({ ...printed, code: 0 })).catch((error) => error);
  process.off('exit', kill);
  return { code: ended.code ?? 1, output: ended.stdout };
}

/**
 * Runs a command that has to succeed.
 * @param {Parameters<typeof run>} what
 * @returns what it printed
 * @throws {Stop} with what it printed
 */
export async function succeed(...what) {
  const { code, output } = await run(...what);
  const [command, args] = what;
  if (code !== 0) throw new Stop(`${command} ${args.join(' ')} failed:\n${output.trim()}`);
  return output;
}

/**
 * Runs one of our scripts as a step of another: its output is printed at once, and it ends when this process ends.
 * @param {string} script path under the checkout; it calls `endWithParent`
 * @param {readonly string[]} [args]
 * @throws {Stop} it failed, and has printed the reason
 */
export async function step(script, args = []) {
  const stdio = /** @type {const} */ (['ignore', 'inherit', 'inherit', 'ipc']);
  const child = spawn(process.execPath, [join(root, script), ...args], { cwd: root, stdio: [...stdio] });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Stop(`${script} failed.`);
}

/** Makes a script that runs as a step end with the script that runs it, also if that is ended by kill -9. */
export function endWithParent() {
  if (!process.channel) return;
  process.once('disconnect', () => process.exit(1));
  // This listener must not keep the process alive when its work is done.
  process.channel.unref();
}
