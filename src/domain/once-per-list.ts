/** Remembers what was computed from a list, which must never change, for as long as the list is in memory. */
export function oncePerList<T, Item = string>(compute: (list: readonly Item[]) => T): (list: readonly Item[]) => T {
  const known = new WeakMap<readonly Item[], { readonly result: T }>();
  return (list) => {
    const found = known.get(list);
    if (found) return found.result;
    const result = compute(list);
    known.set(list, { result });
    return result;
  };
}
