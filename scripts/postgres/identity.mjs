import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';

/**
 * The user that PostgreSQL runs as; empty for our own. It refuses to run as root, so root starts it as another user.
 * @typedef {{ uid?: number, gid?: number }} Identity
 */

const nobody = 65534;

/**
 * @param {string} cluster an existing data folder keeps its user, so that `sudo npm start` after `npm start` finds its
 *   data
 * @returns {Identity}
 */
export function identityFor(cluster) {
  if (process.getuid?.() !== 0) return {};
  const folder = statSync(cluster, { throwIfNoEntry: false });
  return folder && folder.uid !== 0 ? { uid: folder.uid, gid: folder.gid } : { uid: nobody, gid: nobody };
}

/**
 * Whether that identity can enter a folder. This is tried, not computed, because access lists and mounts matter, too.
 * @param {string} folder
 * @param {Identity} identity
 */
export function canEnter(folder, identity) {
  if (identity.uid === undefined) return true;
  return spawnSync('/bin/sh', ['-c', 'cd "$0"', folder], { ...identity, cwd: '/', stdio: 'ignore' }).status === 0;
}

/** PostgreSQL reads PGDATA, PGPORT, LANG and similar variables, so it gets none of the caller's variables. */
export const cleanEnvironment = Object.freeze({
  PATH: process.env['PATH'],
  SystemRoot: process.env['SystemRoot'],
  LC_ALL: 'C',
  TZ: 'UTC',
});
