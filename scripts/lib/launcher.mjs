import { readFileSync } from 'node:fs';

const LOOK_EVERY_MS = 250;

/**
 * Calls back when the `npm` that runs this script has ended. npm runs a script by a shell: a `kill` of npm ends the
 * shell, or not even that, and nobody tells the script.
 * @param {() => void} callback
 */
export function whenNpmEnds(callback) {
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const [parent, grandparent] = launchers();
  const timer = setInterval(() => {
    // What has lost its parent gets another one.
    if (launchers().join() === `${parent},${grandparent}`) return;
    clearInterval(timer);
    callback();
  }, LOOK_EVERY_MS);
  timer.unref();
}

/**
 * The parent, and npm behind it where the parent is a shell. Some shells become the script that they run: then the
 * parent is npm itself, and whose child npm is does not matter.
 */
function launchers() {
  const { name, parent } = statOf(process.ppid);
  return [process.ppid, /^\w*sh$/.test(name) ? parent : 0];
}

/**
 * @param {number} pid
 * @returns {{ name: string, parent: number }} nothing where the system has no /proc: there the parent alone is noticed
 */
function statOf(pid) {
  try {
    const [, name = '', parent] = /^\d+ \((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return { name, parent: Number(parent) };
  } catch {
    return { name: '', parent: 0 };
  }
}
