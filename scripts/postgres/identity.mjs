import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';

/**
 * Whom PostgreSQL runs as: empty for ourselves. It refuses to run as root, so root lends it another user.
 * @typedef {{ uid?: number, gid?: number }} Identity
 */

const nobody = 65534;

/**
 * @param {string} cluster an existing data folder keeps its owner: `sudo npm start` after `npm start` finds its data
 * @returns {Identity}
 */
export function identityFor(cluster) {
  if (process.getuid?.() !== 0) return {};
  const owner = statSync(cluster, { throwIfNoEntry: false });
  return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : { uid: nobody, gid: nobody };
}

/**
 * Whether that identity can enter a folder. Tried, not computed: access lists and mounts have a say too.
 * @param {string} folder
 * @param {Identity} identity
 */
export function canEnter(folder, identity) {
  if (identity.uid === undefined) return true;
  return spawnSync('/bin/sh', ['-c', 'cd "$0"', folder], { ...identity, cwd: '/', stdio: 'ignore' }).status === 0;
}

/** PostgreSQL reads PGDATA, PGPORT, LANG and the like: it gets none of the caller's. */
export const cleanEnvironment = Object.freeze({
  PATH: process.env['PATH'],
  SystemRoot: process.env['SystemRoot'],
  LC_ALL: 'C',
  TZ: 'UTC',
});
