import { until } from '../../scripts/lib/wait.mjs';

/**
 * Waits until `look` returns a true value, and returns it. Throws with the last value when that takes too long. The
 * limit only ends a test that hangs, so it is generous enough for a busy machine.
 */
export async function eventually<T>(look: () => Promise<T | false | null | undefined>, withinMs = 120_000): Promise<T> {
  const seen = await until(look, withinMs, 20);
  if (!seen) throw new Error(`not so within ${withinMs} ms, but ${JSON.stringify(seen)}`);
  return seen;
}
