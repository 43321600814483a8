import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { root } from '../lib/paths.mjs';
import { run } from '../lib/run.mjs';
import { pythonWith, tools } from '../tools.mjs';

export const pythonGuard = join(root, 'clients/python');

/**
 * Runs a command with the Python guard of this checkout.
 * @param {string} cwd @param {string} command @param {readonly string[]} args
 */
export async function withPythonGuard(cwd, command, ...args) {
  const { code, output } = await run(command, args, { cwd, env: pythonGuardEnv() });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}:\n${output}`);
}

export const pythonGuardEnv = () => ({
  ...process.env,
  PYTHONDONTWRITEBYTECODE: '1',
  PYTHONPATH: join(pythonGuard, 'src'),
});

/**
 * A Python with the pinned packages of the guard's tests and examples. It outlives a run, so that the next one works offline.
 * @returns the path of the interpreter
 */
export async function pythonOfGuard() {
  const requirements = readFileSync(join(pythonGuard, 'requirements-dev.txt'));
  const pinned = createHash('sha256').update(requirements).digest('hex').slice(0, 12);
  const venv = join(homedir(), '.cache/latchkey', `python-${pinned}`);
  const [python, isReady] = [join(venv, 'bin/python'), join(venv, 'ready')];
  if (existsSync(isReady)) return python;
  const base = pythonWith(tools['venv of python3']?.modules ?? '') ?? 'python3';
  await withPythonGuard(pythonGuard, base, '-m', 'venv', '--clear', venv);
  await withPythonGuard(pythonGuard, python, '-m', 'pip', 'install', '--quiet', '-r', 'requirements-dev.txt');
  writeFileSync(isReady, '');
  return python;
}
