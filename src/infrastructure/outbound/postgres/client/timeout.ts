import { unavailable } from './errors.js';

const SLICES = 5;

/**
 * The only way in which a call of PostgreSQL times out: rejects with `unavailable` when the work takes longer. The time is
 * counted in slices, each ended by a turn of the event loop in which an answer that has arrived is read: a process that was
 * busy or stopped itself does not take PostgreSQL for slow.
 * @param onLate is called first; the work keeps running unless this ends it
 */
export function withTimeout<T>(timeoutMs: number, work: Promise<T>, onLate?: () => void): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let isSettled = false;
  const late = new Promise<never>((_, reject) => {
    const wait = (slices: number) => {
      if (isSettled) return;
      if (slices > 0) return void (timer = setTimeout(() => setImmediate(wait, slices - 1), timeoutMs / SLICES));
      onLate?.();
      reject(unavailable(new Error(`no answer within ${timeoutMs} ms`)));
    };
    wait(SLICES);
  });
  return Promise.race([work, late]).finally(() => {
    isSettled = true;
    clearTimeout(timer);
  });
}
