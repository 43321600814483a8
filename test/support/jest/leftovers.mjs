import { existsSync, readFileSync, readdirSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { acquireLock } from '../../../scripts/lib/lock.mjs';
import { run } from '../../../scripts/lib/run.mjs';
import { until } from '../../../scripts/lib/wait.mjs';

export const runFolderPrefix = 'latchkey-test-';

/**
 * Removes the servers and folders that killed runs left behind.
 * @param {string} temp
 */
export async function removeRunsThatDied(temp) {
  for (const name of readdirSync(temp).filter((entry) => entry.startsWith(runFolderPrefix))) {
    const folder = join(temp, name);
    // Another user's folder stays.
    if (statSync(folder, { throwIfNoEntry: false })?.uid !== (process.getuid?.() ?? 0)) continue;
    const lock = await acquireLock(folder);
    if (!lock) continue;
    await removeRunFolder(folder);
    await lock.release();
  }
}

/**
 * Ends all servers that still run in a folder, and removes the folder.
 * @param {string} folder
 */
export async function removeRunFolder(folder) {
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGKILL'])) {
    for (const pid of serversIn(folder)) {
      try {
        process.kill(pid, signal);
      } catch {
        // It has just ended.
      }
    }
    await until(() => serversIn(folder).length === 0, 5_000);
  }
  // The small disks that a killed run left mounted.
  const mounted = existsSync('/proc/mounts') ? readFileSync('/proc/mounts', 'utf8').split('\n') : [];
  const disks = mounted.map((line) => line.split(' ')[1] ?? '').filter((path) => path.startsWith(`${folder}/`));
  for (const disk of disks) await run('umount', [disk]);
  // A process that has just ended may still write its last bytes.
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

const SERVER = /^\S*(postgres|redis-server|pgbouncer)\b/;

/**
 * By what /proc says. None where the system has no /proc.
 * @param {string} folder
 */
function serversIn(folder) {
  const pids = existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  return pids.map(Number).filter((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return SERVER.test(command) && `${readlinkSync(`/proc/${pid}/cwd`)} ${command}`.includes(`${folder}/`);
    } catch {
      return false;
    }
  });
}
