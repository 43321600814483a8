/**
 * Loads a package outside of Jest's modules, which each suite loads again: once for all suites of a worker. For one that
 * is large, and keeps nothing of the suite that uses it.
 */
export function loadOnce<T>(name: string): Promise<T> {
  const { latchkeyLoadOnce } = globalThis as unknown as { latchkeyLoadOnce(name: string): Promise<T> };
  return latchkeyLoadOnce(name);
}
