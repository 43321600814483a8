import { unavailable } from './errors.js';

const SLICES = 5;

/**
 * Rejects when the work takes longer. The time is counted in slices, each ended by a turn of the event loop in which
 * an answer that has arrived is read: a process that was busy or stopped itself does not take PostgreSQL for slow.
 */
export function withTimeout<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let isSettled = false;
  const late = new Promise<never>((_, reject) => {
    const wait = (slices: number) => {
      if (isSettled) return;
      if (slices === 0) reject(unavailable(new Error(`no answer within ${timeoutMs} ms`)));
      else timer = setTimeout(() => setImmediate(wait, slices - 1), timeoutMs / SLICES);
    };
    wait(SLICES);
  });
  return Promise.race([work, late]).finally(() => {
    isSettled = true;
    clearTimeout(timer);
  });
}
