import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { until } from '../../../scripts/lib/wait.mjs';

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/**
 * Starts a server, which writes into a log, and waits until it answers. It ends with this process at the latest.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions & { log: string, answers: () => Promise<unknown> }} options
 */
export async function startServer(program, args, { log: file, answers, ...options }) {
  const log = openSync(file, 'a');
  const child = spawn(program, args, { ...options, stdio: ['ignore', log, log] });
  closeSync(log);
  let isOver = false;
  const ended = new Promise((/** @type {(_: void) => void} */ resolve) => {
    child.once('exit', () => resolve()).once('error', () => resolve());
  }).then(() => void (isOver = true));
  running.add(child);
  void ended.then(() => running.delete(child));
  // The limit only ends a test that hangs.
  const answered = await until(async () => isOver || (await answers()), 120_000);
  if (!answered || isOver || !child.pid) {
    throw new Error(`${program} did not start: ${readFileSync(file, 'utf8').trim() || 'is it installed?'}`);
  }
  return {
    pid: child.pid,
    signal: (/** @type {NodeJS.Signals} */ name) => child.kill(name),
    end: async (/** @type {NodeJS.Signals} */ name = 'SIGTERM') => {
      child.kill(name);
      await ended;
    },
  };
}
