/**
 * Remembers what was computed from a list for as long as the list itself is in memory. The list must never change: the
 * reader of keys gives the same list for the same stored text.
 */
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
