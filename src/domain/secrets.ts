/** 24 characters of a public part, a dot, and 16 of a secret. */
const SHORTEST_FIND = 41;
const SECRET_IN_TEXT = /([0-9a-f]{24}(?:\.|%2e))[0-9a-f]{16,}/gi;

/** For text that others wrote and that is about to be kept: people paste keys into paths and user agents. */
export function withoutSecrets(text: string): string {
  return canHoldSecret(text) ? text.replace(SECRET_IN_TEXT, '$1…') : text;
}

/** Most texts are too short for one, and every validation brings some: looking at their length saves the search. */
export function canHoldSecret(text: string): boolean {
  return text.length >= SHORTEST_FIND;
}
