import { readFileSync } from 'node:fs';
import { sum } from './statistics.mjs';

/** Linux counts in hundredths of a second, whatever the kernel's own tick is. */
const TICKS_A_SECOND = 100;

/**
 * CPU seconds of a process so far: all its threads, in user and kernel mode. The time that a process waits on a busy
 * machine does not count.
 * @param {number} pid
 */
export const cpuSeconds = (pid) => sum(cpuTimes(pid).slice(0, 2));

/** The same for a process and its children, including those that have ended. @param {number} pid */
export function familyCpuSeconds(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  return sum([...cpuTimes(pid), ...children.map((child) => cpuSeconds(Number(child)))]);
}

/** Seconds in user and in kernel mode, and the same two of the children that have ended. @param {number} pid */
function cpuTimes(pid) {
  const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name, in brackets, may contain anything. Fields 14 to 17 are the CPU times.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).map((ticks) => Number(ticks) / TICKS_A_SECOND);
}

/**
 * The CPU seconds that each counter gains during the work.
 * @param {Record<string, () => number>} counters @param {() => Promise<any>} work
 */
export async function cpuOf(counters, work) {
  const read = () => Object.values(counters).map((count) => count());
  const before = read();
  const answer = await work();
  const after = read();
  return { answer, spent: Object.fromEntries(Object.keys(counters).map((name, n) => [name, after[n] - before[n]])) };
}
