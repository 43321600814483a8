import { hash } from 'node:crypto';
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { root } from './paths.mjs';

/** The programs that Python's package index carries. */
export const PYTHON_TOOLS = join(root, 'scripts/testing/python-tools.txt');

/** Their folder. Its name changes with their versions. */
export function pythonTools() {
  return join(homedir(), '.cache/latchkey', `bin-${hash('sha256', readFileSync(PYTHON_TOOLS)).slice(0, 12)}`);
}

/**
 * Debian installs servers into a folder that is only on root's PATH, and PostgreSQL's server programs into one that is
 * on no PATH.
 */
export function searchPath() {
  return [process.env['PATH'] ?? '', '/usr/sbin', postgresFolder(), pythonTools()].filter(Boolean).join(delimiter);
}

const POSTGRES = '/usr/lib/postgresql';

/** @returns {string | undefined} the programs of Debian's newest PostgreSQL server */
export function postgresFolder() {
  const versions = existsSync(POSTGRES) ? readdirSync(POSTGRES) : [];
  const folders = versions.sort((one, other) => Number(other) - Number(one)).map((name) => join(POSTGRES, name, 'bin'));
  return folders.find((folder) => existsSync(join(folder, 'pg_rewind')));
}

/** @param {string} command */
export function isOnPath(command) {
  return searchPath()
    .split(delimiter)
    .some((folder) => {
      try {
        accessSync(join(folder, command), constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
