import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { acquireLock } from './lib/lock.mjs';
import { root } from './lib/paths.mjs';
import { Stop } from './lib/stop.mjs';
import { postgresBinaries } from './postgres/binaries.mjs';
import { ensureCluster } from './postgres/cluster.mjs';
import { findPlace, preparePlace } from './postgres/place.mjs';
import { isServerOf, readPidFile, startServer, stopOrphan } from './postgres/server.mjs';

/** Where the data are if nobody may enter the checkout. */
const STATE_DIR = '/var/lib/latchkey';

/**
 * @param {string | undefined} dataDir
 * @returns {string | undefined} the URL of the database that another start serves now
 */
export function runningDatabase(dataDir) {
  const { cluster } = findPlace({ checkout: root, dataDir, stateDir: STATE_DIR });
  const { pid, port, isReady } = readPidFile(cluster);
  return isReady && isServerOf(pid, cluster) ? urlOf(cluster, port) : undefined;
}

/**
 * @param {string} cluster
 * @param {string | undefined} port
 */
function urlOf(cluster, port) {
  const password = readFileSync(join(dirname(cluster), 'password'), 'utf8');
  return `postgresql://latchkey:${password}@127.0.0.1:${port}/latchkey`;
}

/**
 * Starts a real PostgreSQL of our own on a loopback port. First it removes what an earlier start left behind, a running
 * server or an unfinished folder. It does not touch what belongs to another running start.
 * @param {object} [options]
 * @param {string | undefined} [options.dataDir] default: `.latchkey` in the checkout, or a folder of its own under `stateDir`
 *   when PostgreSQL's user cannot enter the checkout. A folder that is given is used or refused, never replaced
 * @param {Readonly<Record<string, string>>} [options.settings] server settings, as after `-c`
 * @param {boolean} [options.detached] whether the terminal's Ctrl+C does not reach it
 * @param {string} [options.checkout]
 * @param {string} [options.stateDir]
 * @returns the folder of its data, the URL of the database `latchkey` with its password, its end for any reason, and how it is
 *   shut down in order
 */
export async function startEmbeddedPostgres(options = {}) {
  const { dataDir, settings = {}, detached = true, checkout = root, stateDir = STATE_DIR } = options;
  const place = preparePlace({ checkout, dataDir, stateDir });
  const lock = await acquireLock(`data folder ${place.home}`);
  if (!lock) throw new Stop(`The data folder ${place.home} is in use by another Latchkey: set DATA_DIR to another.`);
  try {
    const programs = postgresBinaries({ checkout, stateDir, identity: place.identity });
    await stopOrphan(place.cluster);
    await ensureCluster(place, programs, { durable: settings['fsync'] !== 'off' });
    const { port, exited, stop } = await startServer({ place, postgres: programs.postgres, settings, detached });
    const url = urlOf(place.cluster, port);
    return { folder: place.home, url, exited, stop: () => stop().then(lock.release) };
  } catch (error) {
    await lock.release();
    throw error;
  }
}
