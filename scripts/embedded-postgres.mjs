import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { acquireLock } from './lib/lock.mjs';
import { succeed } from './lib/run.mjs';
import { Stop } from './lib/stop.mjs';
import { postgresBinaries } from './postgres/binaries.mjs';
import { cleanEnvironment, findPlace, preparePlace } from './postgres/place.mjs';
import { isServerOf, readPidFile, startServer, stopOrphan } from './postgres/server.mjs';

/** How the name of a cluster begins that is not complete. */
const UNFINISHED = '.latchkey-init-';

/**
 * @param {string | undefined} dataDir
 * @returns {string | undefined} the URL of the database that another start serves now
 */
export function runningDatabase(dataDir) {
  const { cluster } = findPlace(dataDir);
  const { readyPid, port } = readPidFile(cluster);
  return isServerOf(readyPid, cluster) ? urlOf(cluster, port) : undefined;
}

/** @type {(cluster: string, port: string | undefined) => string} */
function urlOf(cluster, port) {
  const password = readFileSync(join(dirname(cluster), 'password'), 'utf8');
  return `postgresql://latchkey:${password}@127.0.0.1:${port}/latchkey`;
}

/**
 * Starts a real PostgreSQL of our own on a loopback port. First it removes what an earlier start left behind, a running
 * server or an unfinished folder. It does not touch what belongs to another running start.
 * @param {object} [options]
 * @param {string | undefined} [options.dataDir] default: `.latchkey` in the checkout, or a folder under /var/lib/latchkey when
 *   PostgreSQL's user cannot enter the checkout. A folder that is given is used or refused, never replaced
 * @param {Readonly<Record<string, string>>} [options.settings] server settings, as after `-c`
 * @param {boolean} [options.detached] whether the terminal's Ctrl+C does not reach it
 * @returns the folder of its data, the URL of the database `latchkey` with its password, its end for any reason, and how it is
 *   shut down in order
 */
export async function startEmbeddedPostgres({ dataDir, settings = {}, detached = true } = {}) {
  const place = preparePlace(dataDir);
  const lock = await acquireLock(`data folder ${place.home}`);
  if (!lock) throw new Stop(`The data folder ${place.home} is in use by another Latchkey: set DATA_DIR to another.`);
  try {
    const programs = postgresBinaries(place.identity);
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

/**
 * Creates the cluster unless it exists. It is created under another name and renamed when it is complete, so that an
 * interrupted start leaves a folder to delete, never one that looks like a database.
 * @param {import('./postgres/place.mjs').Place} place
 * @param {{ initdb: string, postgres: string }} programs
 * @param {{ durable: boolean }} options
 */
async function ensureCluster({ home, cluster, identity }, programs, { durable }) {
  for (const name of readdirSync(home).filter((each) => each.startsWith(UNFINISHED))) {
    // The initdb of a killed start may still write into it.
    rmSync(join(home, name), { recursive: true, maxRetries: 10 });
  }
  if (existsSync(join(cluster, 'PG_VERSION'))) return;
  if (existsSync(dirname(cluster))) throw new Stop(`${cluster} contains no database: move ${dirname(cluster)} away.`);

  const fresh = mkdtempSync(join(home, UNFINISHED));
  const password = join(fresh, 'password');
  const data = join(fresh, 'cluster');
  writeFileSync(password, randomBytes(24).toString('hex'), { mode: 0o600, flag: 'wx' });
  if (identity.uid !== undefined) {
    for (const path of [fresh, password]) chownSync(path, identity.uid, identity.gid);
  }

  const as = { ...identity, cwd: '/', env: cleanEnvironment };
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const access = ['--username=latchkey', '--auth=scram-sha-256', `--pwfile=${password}`];
  const speed = durable ? [] : ['--no-sync'];
  await succeed(programs.initdb, ['-D', data, ...locale, ...access, ...speed], as);
  // Single-user mode: no network, no client library, nothing to wait for.
  const single = ['--single', '-D', data, '-c', `fsync=${durable ? 'on' : 'off'}`, 'postgres'];
  await succeed(programs.postgres, single, { ...as, input: 'CREATE DATABASE latchkey;\n' });
  renameSync(fresh, dirname(cluster));
}
