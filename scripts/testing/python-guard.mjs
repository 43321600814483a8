import { hash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { root } from '../lib/paths.mjs';
import { succeed } from '../lib/run.mjs';
import { pythonWith } from './programs.mjs';

export const pythonGuard = join(root, 'clients/python');

/** The environment of a command that imports the Python guard of this checkout. */
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
  const requirements = join(pythonGuard, 'requirements-dev.txt');
  const pinned = hash('sha256', readFileSync(requirements)).slice(0, 12);
  const venv = join(homedir(), '.cache/latchkey', `python-${pinned}`);
  const [python, isReady] = [join(venv, 'bin/python'), join(venv, 'ready')];
  if (existsSync(isReady)) return python;
  await succeed(pythonWith('venv, ensurepip') ?? 'python3', ['-m', 'venv', '--clear', venv]);
  await succeed(python, ['-m', 'pip', 'install', '--quiet', '-r', requirements]);
  writeFileSync(isReady, '');
  return python;
}
