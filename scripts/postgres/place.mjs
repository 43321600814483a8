import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, chmodSync, chownSync, constants, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { root } from '../lib/paths.mjs';
import { errorCode, Stop } from '../lib/stop.mjs';

/**
 * @typedef {{ uid: number, gid: number } | { uid?: undefined, gid?: undefined }} Identity the user that PostgreSQL runs as; empty for our own. It refuses to run
 *   as root, so root starts it as another user
 * @typedef {{ home: string, cluster: string, identity: Identity }} Place where the data are, and as which user PostgreSQL runs
 */

const NOBODY = 65534;
/** Where the data and the programs are if PostgreSQL's user cannot enter the checkout. */
export const STATE_DIR = '/var/lib/latchkey';

/** PostgreSQL reads PGDATA, PGPORT, LANG and similar variables, so it gets none of the caller's variables. */
export const cleanEnvironment = Object.freeze({ PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' });

/**
 * An existing data folder keeps its user, so that `sudo npm start` after `npm start` finds its data.
 * @type {(cluster: string) => Identity}
 */
export function identityFor(cluster) {
  if (process.getuid?.() !== 0) return {};
  const folder = statSync(cluster, { throwIfNoEntry: false });
  return folder && folder.uid !== 0 ? { uid: folder.uid, gid: folder.gid } : { uid: NOBODY, gid: NOBODY };
}

/**
 * This is tried, not computed, because access lists and mounts matter, too.
 * @type {(folder: string, identity: Identity) => boolean}
 */
export function canEnter(folder, identity) {
  if (identity.uid === undefined) return true;
  return spawnSync('/bin/sh', ['-c', 'cd "$0"', folder], { ...identity, cwd: '/', stdio: 'ignore' }).status === 0;
}

/** The data folder that a start would use, or uses now. Changes nothing. @type {(dataDir: string | undefined) => Place} */
export function findPlace(dataDir) {
  const home = dataDir ? resolve(dataDir) : defaultHome();
  return placeAt(existsSync(home) ? realpathSync(home) : home);
}

/** Finds and makes the data folder. @type {(dataDir: string | undefined) => Place} */
export function preparePlace(dataDir) {
  const place = findPlace(dataDir);
  try {
    makeHome(place);
    return findPlace(dataDir);
  } catch (error) {
    if (error instanceof Stop) throw error;
    throw new Stop(`The data folder ${place.home} cannot be used (${errorCode(error)}): set DATA_DIR to one that can.`);
  }
}

/**
 * In the checkout, or under /var/lib when the server's user cannot enter the checkout. A folder that already has data
 * comes first, so that a later chmod does not make the data seem lost.
 */
function defaultHome() {
  const here = join(root, '.latchkey');
  const number = createHash('sha256').update(root).digest('hex').slice(0, 12);
  const there = join(STATE_DIR, `${basename(root) || 'root'}-${number}`);
  const { cluster, identity } = placeAt(here);
  if (existsSync(cluster)) return here;
  if (existsSync(placeAt(there).cluster)) return there;
  return canEnter(root, identity) ? here : there;
}

/** @type {(home: string) => Place} */
function placeAt(home) {
  const cluster = join(home, 'postgres', 'cluster');
  return { home, cluster, identity: identityFor(cluster) };
}

/** @param {Place} place */
function makeHome({ home, identity }) {
  const requireEnterable = (/** @type {string} */ folder) => {
    if (canEnter(folder, identity)) return;
    throw new Stop(
      `PostgreSQL, which never runs as root but here as uid ${identity.uid}, cannot enter the data folder ${home}: ` +
        `set DATA_DIR to a folder that everybody may enter, or chmod o+x the folders above it.`,
    );
  };
  const parent = dirname(home);
  const made = mkdirSync(parent, { recursive: true });
  // The server's user must be able to pass through, with any umask.
  if (made) execFileSync('chmod', ['-R', '755', made]);
  // Checked before `home` is changed: a folder that is refused stays as it was.
  requireEnterable(parent);
  if (!existsSync(home) || (identity.uid !== undefined && readdirSync(home).length === 0)) {
    mkdirSync(home, { recursive: true });
    chmodSync(home, 0o700);
    if (identity.uid !== undefined) chownSync(home, identity.uid, identity.gid);
  }
  accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
  requireEnterable(home);
}
