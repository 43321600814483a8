import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode } from '../lib/stop.mjs';

/**
 * Whether a process is the server of that cluster. The process number alone proves nothing, because another program may
 * have it by now. `undefined` when the system does not show it.
 * @param {number} pid
 * @param {string} cluster without symbolic links
 * @returns {boolean | undefined}
 */
export function isServerOf(pid, cluster) {
  if (!isAlive(pid)) return false;
  // Windows does not show it; there pg_ctl can only reach a server anyway.
  if (process.platform === 'win32') return true;
  if (process.platform !== 'linux') return commandOf(pid).includes(cluster);
  const words = read(`/proc/${pid}/cmdline`).split('\0');
  // The process has ended, but its parent has not read its exit code yet.
  if (words[0] === '') return false;
  if (!words[0]?.endsWith('postgres')) return false;
  return words.includes(cluster) || worksIn(pid, cluster);
}

/**
 * Makes a server end: 'fast' ends the sessions and leaves a clean cluster, 'immediate' leaves one that must recover.
 * @param {number} pid
 * @param {'fast' | 'immediate'} mode
 * @param {{ cluster: string, postgres: string }} where
 */
export function shutDown(pid, mode, { cluster, postgres }) {
  if (process.platform === 'win32') {
    spawnSync(join(dirname(postgres), 'pg_ctl.exe'), ['stop', '-D', cluster, '-m', mode, '--no-wait']);
    return;
  }
  try {
    process.kill(pid, mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/**
 * Whether the process's working directory is the cluster. That also finds a server whose checkout was moved.
 * @param {number} pid
 * @param {string} cluster
 */
function worksIn(pid, cluster) {
  try {
    const at = statSync(`/proc/${pid}/cwd`);
    const data = statSync(cluster);
    return at.dev === data.dev && at.ino === data.ino;
  } catch (error) {
    // In a container, root may not read other users' processes.
    return errorCode(error) === 'EACCES' ? undefined : false;
  }
}

/** @param {number} pid */
function commandOf(pid) {
  try {
    return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
