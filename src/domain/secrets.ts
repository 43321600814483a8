/** 24 characters of the public part, a dot, and at least 16 characters of the secret. */
const SHORTEST_FIND = 41;
const SECRET_IN_TEXT = /([0-9a-f]{24}(?:\.|%(?:25)*2e|\\u002e))[0-9a-f]{16,}/gi;

/** How many characters the shortest key string has that another system made. */
export const SHORTEST_IMPORTED = 24;

/** What an imported key consists of in a text: it ends at a space or a quote. */
const UP_TO_A_SPACE = `[^\\s"'<>\\\\]`;

/** Of this process, because texts are cleaned in many places, and every one of them must know it. */
const imported = { prefixes: new Set<string>(), pattern: importedStrings([]) };

/** From now on, `withoutSecrets` also removes imported keys. @param prefixes how they begin */
export function alsoHide(prefixes: readonly string[]): void {
  for (const prefix of prefixes) imported.prefixes.add(prefix);
  imported.pattern = importedStrings([...imported.prefixes]);
}

/** For text of others before it is stored: people paste keys into paths and user agents. */
export function withoutSecrets(text: string): string {
  if (!canHoldSecret(text)) return text;
  const kept = text.replace(SECRET_IN_TEXT, '$1…');
  const { pattern, prefixes } = imported;
  if (!pattern) return kept;
  return kept.replace(pattern, (found) => `${[...prefixes].find((prefix) => found.startsWith(prefix)) ?? ''}…`);
}

/** For names that others give their accounts, which may begin as imported keys do. */
export function holdsKeyString(text: string): boolean {
  return text.search(SECRET_IN_TEXT) >= 0;
}

/** A cheap check: every validation brings such texts, and most of them are too short for a key. */
export function canHoldSecret(text: string): boolean {
  return text.length >= (imported.pattern ? SHORTEST_IMPORTED : SHORTEST_FIND);
}

/** Finds strings that begin so and are long enough for a key. @param characters a class of those after the prefix */
export function importedStrings(prefixes: readonly string[], characters = UP_TO_A_SPACE): RegExp | undefined {
  if (prefixes.length === 0) return undefined;
  const shapes = prefixes.map((each) => `${inText(each)}${characters}{${SHORTEST_IMPORTED - each.length},}`);
  return new RegExp(shapes.join('|'), 'g');
}

/** The prefix as it is, or with any of its characters as a URL, even one within a URL, or JSON encodes them. */
function inText(prefix: string): string {
  return [...prefix]
    .map((character) => {
      const hex = character.charCodeAt(0).toString(16);
      const anyCase = hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
      return `(?:${/\w/.test(character) ? '' : '\\'}${character}|%(?:25)*${anyCase}|\\\\u00${anyCase})`;
    })
    .join('');
}
