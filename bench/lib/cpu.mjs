import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second whatever the kernel's own tick is. */
const TICKS_A_SECOND = 100;

/**
 * CPU seconds of a process so far, of all its threads, in user and kernel mode. A busy machine makes a process wait, which
 * is not counted.
 * @param {number} pid
 */
export function cpuSeconds(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name, in brackets, may hold anything; utime and stime are the 14th and 15th field.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

/** CPU seconds so far of everything on this machine. */
export function machineCpuSeconds() {
  const [, user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0].split(/ +/);
  return [user, nice, system, irq, softirq].reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_A_SECOND;
}

/**
 * What each of these spends while the work is done.
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
