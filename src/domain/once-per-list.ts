type List = readonly string[];

/**
 * Remembers what was computed from a list for as long as the list itself is in memory. The list must never change: the
 * reader of keys gives the same list for the same stored text.
 */
export function oncePerList<T>(compute: (list: List) => T): (list: List) => T {
  const known = new WeakMap<List, { readonly result: T }>();
  return (list) => {
    const found = known.get(list);
    if (found) return found.result;
    const result = compute(list);
    known.set(list, { result });
    return result;
  };
}
