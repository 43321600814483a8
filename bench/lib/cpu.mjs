import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second, whatever the kernel's own tick is. */
const TICKS_A_SECOND = 100;

/**
 * CPU seconds of a process so far: all its threads, in user and kernel mode. The time that a process waits on a busy
 * machine does not count.
 * @param {number} pid
 */
export function cpuSeconds(pid) {
  const { user, system } = stat(pid);
  return (user + system) / TICKS_A_SECOND;
}

/** The same for a process and its children, including those that have ended. @param {number} pid */
export function familyCpuSeconds(pid) {
  const parent = stat(pid);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  const ended = (parent.endedUser + parent.endedSystem) / TICKS_A_SECOND;
  return children.reduce((sum, child) => sum + cpuSeconds(Number(child)), cpuSeconds(pid) + ended);
}

/** @param {number} pid */
function stat(pid) {
  const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name, in brackets, may contain anything. Fields 14 to 17 are the CPU times.
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = line
    .slice(line.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map(Number);
  return { user, system, endedUser, endedSystem };
}

/**
 * The CPU seconds that each counter gains during the work.
 * @template {string} Name
 * @template T
 * @param {Record<Name, () => number>} counters of CPU seconds
 * @param {() => Promise<T>} work
 * @returns {Promise<{ spent: Record<Name, number>, answer: T }>}
 */
export async function cpuOf(counters, work) {
  const names = /** @type {Name[]} */ (Object.keys(counters));
  const before = names.map((name) => counters[name]());
  const answer = await work();
  const spent = names.map((name, n) => [name, counters[name]() - before[n]]);
  return { answer, spent: /** @type {Record<Name, number>} */ (Object.fromEntries(spent)) };
}
