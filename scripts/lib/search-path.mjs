import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Debian installs servers into a folder that is only on root's PATH, and PostgreSQL's server programs into one that is
 * on no PATH.
 */
export function searchPath() {
  return [process.env['PATH'] ?? '', '/usr/sbin', postgresFolder()].filter(Boolean).join(delimiter);
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
