import { LatchkeyError } from '#domain/errors.js';

const SLICES = 5;

/**
 * Rejects with `unavailable` when the work takes longer. The time is counted in slices. Each ends with a turn of the
 * event loop, which reads an answer that has arrived. So a process that was busy does not mistake a store for slow.
 * @param onLate is called before the rejection. The work keeps running unless `onLate` ends it.
 */
export function withTimeout<T>(timeoutMs: number, work: Promise<T>, onLate?: () => void): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let isSettled = false;
  const late = new Promise<never>((_, reject) => {
    const wait = (slices: number) => {
      if (isSettled) return;
      if (slices > 0) return void (timer = setTimeout(() => setImmediate(wait, slices - 1), timeoutMs / SLICES));
      onLate?.();
      const cause = new Error(`no answer within ${timeoutMs} ms`);
      reject(new LatchkeyError('unavailable', 'A store is not available: try again shortly', {}, { cause }));
    };
    wait(SLICES);
  });
  return Promise.race([work, late]).finally(() => {
    isSettled = true;
    clearTimeout(timer);
  });
}
