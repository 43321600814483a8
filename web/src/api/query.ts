/** A query string of what is given, with its `?`; empty without anything. */
export function queryOf(named: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(named).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length > 0 ? `?${new URLSearchParams(given)}` : '';
}
