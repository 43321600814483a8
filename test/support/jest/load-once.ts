/**
 * Loads a package outside of Jest's module registry, which each suite fills again: once for all suites of a worker.
 * Only for a large package that keeps no state of the suite that uses it.
 */
export function loadOnce<T>(name: string): Promise<T> {
  const { latchkeyLoadOnce } = globalThis as unknown as { latchkeyLoadOnce(name: string): Promise<T> };
  return latchkeyLoadOnce(name);
}
