import { existsSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { acquireLock } from '../../../scripts/lib/lock.mjs';
import { run } from '../../../scripts/lib/run.mjs';
import { until } from '../../../scripts/lib/wait.mjs';
import { stopOrphan } from '../../../scripts/postgres/server.mjs';

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
  // With the types of the entries: without them, the search follows links, and some lead to all installed packages.
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.map(({ parentPath, name }) => join(parentPath, name));
  for (const file of files) {
    if (file.endsWith('postmaster.pid')) await stopOrphan(dirname(file));
    if (file.endsWith('redis.pid')) await stopServer(file, 'redis-server');
    if (file.endsWith('pgbouncer.pid')) await stopServer(file, 'pgbouncer');
  }
  for (const disk of disksIn(folder)) await run('umount', [disk]);
  // A process that has just ended may still write its last bytes.
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

/**
 * The small disks that a killed run left mounted. None where the system has no such list.
 * @param {string} folder
 */
function disksIn(folder) {
  if (!existsSync('/proc/mounts')) return [];
  const mounted = readFileSync('/proc/mounts', 'utf8').split('\n');
  return mounted.map((line) => line.split(' ')[1] ?? '').filter((path) => path.startsWith(`${folder}/`));
}

/**
 * @param {string} pidFile
 * @param {string} command
 */
async function stopServer(pidFile, command) {
  const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
  const runs = () => commandOf(pid).includes(command);
  if (!runs()) return;
  process.kill(pid, 'SIGTERM');
  await until(() => !runs(), 5_000);
}

/** @param {number} pid */
function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
