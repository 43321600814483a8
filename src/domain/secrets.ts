/** 24 characters of the public part, a dot, and at least 16 characters of the secret. */
const SHORTEST_FIND = 41;
const SECRET_IN_TEXT = /([0-9a-f]{24}(?:\.|%2e))[0-9a-f]{16,}/gi;

/** How many characters the shortest key string has that another system made. */
export const SHORTEST_FOREIGN = 24;

/** Of this process, because texts are cleaned in many places, and every one of them must know it. */
const foreign = { prefixes: new Set<string>(), pattern: foreignStrings([]) };

/** From now on, `withoutSecrets` also removes imported keys. @param prefixes how they begin */
export function alsoHide(prefixes: readonly string[]): void {
  for (const prefix of prefixes) foreign.prefixes.add(prefix);
  foreign.pattern = foreignStrings([...foreign.prefixes]);
}

/** For foreign text before it is stored: people paste keys into paths and user agents. */
export function withoutSecrets(text: string): string {
  if (!canHoldSecret(text)) return text;
  const kept = text.replace(SECRET_IN_TEXT, '$1…');
  const { pattern, prefixes } = foreign;
  if (!pattern) return kept;
  return kept.replace(pattern, (found) => `${[...prefixes].find((prefix) => found.startsWith(prefix)) ?? ''}…`);
}

/** A cheap check: every validation brings such texts, and most of them are too short for a key. */
export function canHoldSecret(text: string): boolean {
  return text.length >= (foreign.pattern ? SHORTEST_FOREIGN : SHORTEST_FIND);
}

/** Finds strings that begin so and are long enough for a key, up to a space or a quote. Undefined for no prefix. */
export function foreignStrings(prefixes: readonly string[]): RegExp | undefined {
  if (prefixes.length === 0) return undefined;
  const beginnings = prefixes.flatMap((prefix) => [...new Set([prefix, encodeURIComponent(prefix)])]);
  const shapes = beginnings.map((each) => `${escaped(each)}[^\\s"'<>\\\\]{${SHORTEST_FOREIGN - each.length},}`);
  return new RegExp(shapes.join('|'), 'g');
}

function escaped(text: string): string {
  return text.replace(/[^\w]/g, '\\$&');
}
