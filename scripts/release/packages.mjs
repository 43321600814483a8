import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../lib/paths.mjs';
import { run } from '../lib/run.mjs';
import { Stop } from '../lib/stop.mjs';

/** What we publish to npm. */
export const packages = ['@latchkey/guard', '@latchkey/panel'];
/** Where a release puts what it makes. Not in git. */
export const packed = 'release';

export async function pack() {
  rmSync(join(root, packed), { recursive: true, force: true });
  mkdirSync(join(root, packed));
  const which = packages.flatMap((name) => ['--workspace', name]);
  // A package is built by its own script, which a person's npm settings may forbid.
  await npm(['pack', ...which, '--pack-destination', packed, '--ignore-scripts=false']);
}

/**
 * What the image contains. In a folder with nothing else, because `npm sbom --omit=dev` also leaves out what a
 * development package and the service have in common.
 */
export async function listMaterials() {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-materials-'));
  try {
    for (const file of ['package.json', 'package-lock.json', '.npmrc']) cpSync(join(root, file), join(folder, file));
    await npm(['pkg', 'delete', 'devDependencies', 'optionalDependencies', 'workspaces'], folder);
    await npm(['install', '--package-lock-only', '--offline', '--ignore-scripts', '--no-audit'], folder);
    const kind = ['--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
    writeFileSync(join(root, packed, 'latchkey.cdx.json'), await npm(['sbom', ...kind], folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {readonly string[]} args
 * @returns {Promise<string>} what it printed
 */
async function npm(args, cwd = root) {
  const { code, output } = await run('npm', [...args, '--loglevel=error'], {
    cwd,
    shell: process.platform === 'win32',
  });
  if (code !== 0) throw new Stop(`npm ${args[0]} failed:\n${output.trim()}`);
  return output;
}
