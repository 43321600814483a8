import { createHash } from 'node:crypto';
import { accessSync, chmodSync, chownSync, constants, existsSync, mkdirSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { errorCode, Stop } from '../lib/stop.mjs';
import { canEnter, identityFor } from './identity.mjs';

/**
 * Where the data are, and as which user PostgreSQL runs.
 * @typedef {{ home: string, cluster: string, identity: import('./identity.mjs').Identity }} Place
 */

/**
 * Finds and makes the data folder. In it, `postgres` appears complete or not at all.
 * @param {{ checkout: string, dataDir: string | undefined, stateDir: string }} wish
 * @returns {Place}
 */
export function preparePlace({ checkout, dataDir, stateDir }) {
  const home = dataDir ? resolve(dataDir) : defaultHome(checkout, stateDir);
  try {
    makeEnterable(placeAt(home));
    return placeAt(realpathSync(home));
  } catch (error) {
    if (error instanceof Stop) throw error;
    throw new Stop(`The data folder ${home} cannot be used (${errorCode(error)}): set DATA_DIR to one that can.`);
  }
}

/**
 * The data folder that a start would use, or uses now. Changes nothing.
 * @param {{ checkout: string, dataDir: string | undefined, stateDir: string }} wish
 * @returns {Place}
 */
export function findPlace({ checkout, dataDir, stateDir }) {
  const home = dataDir ? resolve(dataDir) : defaultHome(checkout, stateDir);
  return placeAt(existsSync(home) ? realpathSync(home) : home);
}

/**
 * In the checkout, or under /var/lib when the server's user cannot enter the checkout. A folder that already has data
 * comes first, so that a later chmod does not make the data seem lost.
 * @param {string} checkout
 * @param {string} stateDir
 */
function defaultHome(checkout, stateDir) {
  const here = join(checkout, '.latchkey');
  const hash = createHash('sha256').update(checkout).digest('hex').slice(0, 12);
  const there = join(stateDir, `${basename(checkout) || 'root'}-${hash}`);
  const { cluster, identity } = placeAt(here);
  if (existsSync(cluster)) return here;
  if (existsSync(placeAt(there).cluster)) return there;
  return canEnter(checkout, identity) ? here : there;
}

/**
 * @param {string} home
 * @returns {Place}
 */
function placeAt(home) {
  const cluster = join(home, 'postgres', 'cluster');
  return { home, cluster, identity: identityFor(cluster) };
}

/** @param {Place} place */
function makeEnterable({ home, identity }) {
  // This check comes before any change: a folder that is refused stays as it was.
  assertEnterable(nearestExisting(dirname(home)), home, identity);
  const fresh = !existsSync(home) || (identity.uid !== undefined && readdirSync(home).length === 0);
  if (fresh) {
    makeParents(dirname(home));
    mkdirSync(home, { recursive: true });
    chmodSync(home, 0o700);
    if (identity.uid !== undefined) chownSync(home, identity.uid, identity.gid ?? identity.uid);
  }
  accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
  assertEnterable(home, home, identity);
}

/**
 * @param {string} folder
 * @param {string} home
 * @param {import('./identity.mjs').Identity} identity
 */
function assertEnterable(folder, home, identity) {
  if (canEnter(folder, identity)) return;
  throw new Stop(
    `PostgreSQL, which never runs as root but here as uid ${identity.uid}, cannot enter the data folder ${home}: ` +
      `set DATA_DIR to a folder that everybody may enter, or chmod o+x the folders above it.`,
  );
}

/**
 * @param {string} folder
 * @returns {string}
 */
function nearestExisting(folder) {
  return existsSync(folder) ? folder : nearestExisting(dirname(folder));
}

/**
 * Makes missing folders so that the server's user can pass through them, with any umask.
 * @param {string} folder
 */
function makeParents(folder) {
  if (existsSync(folder)) return;
  makeParents(dirname(folder));
  mkdirSync(folder);
  chmodSync(folder, 0o755);
}
