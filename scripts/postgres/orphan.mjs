import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Stop } from '../lib/stop.mjs';
import { until } from '../lib/wait.mjs';
import { isServerOf, shutDown } from './processes.mjs';
import { readPidFile } from './server.mjs';

/**
 * Ends the server that an earlier, killed start left running on this cluster. No other start can be using it, since the
 * caller holds the lock of the data folder.
 * @param {{ cluster: string, postgres: string }} where
 */
export async function stopOrphan({ cluster, postgres }) {
  const { pid } = readPidFile(cluster);
  if (!pid) return;
  const runs = () => isServerOf(pid, cluster) === true;
  const hasEnded = (/** @type {number} */ timeoutMs) => until(() => !runs(), timeoutMs);
  // Unknown: the file stays, and PostgreSQL itself checks it at its start.
  if (isServerOf(pid, cluster) === undefined) return;
  if (runs()) {
    shutDown(pid, 'fast', { cluster, postgres });
    if (!(await hasEnded(15_000))) shutDown(pid, 'immediate', { cluster, postgres });
    if (!(await hasEnded(15_000)))
      throw new Stop(`An earlier PostgreSQL (process ${pid}) does not end: end it yourself.`);
  }
  // Because of this file, PostgreSQL would take any living process with that number for its own server.
  rmSync(join(cluster, 'postmaster.pid'), { force: true });
}
