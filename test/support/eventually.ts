import { setTimeout as pause } from 'node:timers/promises';

/**
 * Waits until `look` answers something true, and answers it. Throws with the last answer when that takes too long: the
 * limit ends a test that hangs, and is no promise, so a busy machine has plenty of it.
 */
export async function eventually<T>(look: () => Promise<T | false | null | undefined>, withinMs = 120_000): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (seen) return seen;
    if (performance.now() > deadline) throw new Error(`not so within ${withinMs} ms, but ${JSON.stringify(seen)}`);
    await pause(20);
  }
}
