import { readFileSync } from 'node:fs';

const LOOK_EVERY_MS = 250;

/**
 * Calls back when the `npm` that runs this script has ended. npm runs a script in a shell. A `kill` of npm ends the
 * shell, or not even that, and the script is not notified.
 * @param {() => void} callback
 */
export function whenNpmEnds(callback) {
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const [parent, grandparent] = launchers();
  const timer = setInterval(() => {
    // A process that has lost its parent gets another one.
    if (launchers().join() === `${parent},${grandparent}`) return;
    clearInterval(timer);
    callback();
  }, LOOK_EVERY_MS);
  timer.unref();
}

/**
 * The parent, and npm behind it if the parent is a shell. Some shells replace themselves with the script: then the
 * parent is npm itself, and npm's own parent does not matter.
 */
function launchers() {
  const { name, parent } = statOf(process.ppid);
  return [process.ppid, /^\w*sh$/.test(name) ? parent : 0];
}

/**
 * @param {number} pid
 * @returns {{ name: string, parent: number }} empty where the system has no /proc: then only the parent is watched
 */
function statOf(pid) {
  try {
    const [, name = '', parent] = /^\d+ \((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return { name, parent: Number(parent) };
  } catch {
    return { name: '', parent: 0 };
  }
}
