/** 24 characters of the public part, a dot, and at least 16 characters of the secret. */
const SHORTEST_FIND = 41;
const SECRET_IN_TEXT = /([0-9a-f]{24}(?:\.|%2e))[0-9a-f]{16,}/gi;

/** For foreign text before it is stored: people paste keys into paths and user agents. */
export function withoutSecrets(text: string): string {
  return canHoldSecret(text) ? text.replace(SECRET_IN_TEXT, '$1…') : text;
}

/** A cheap check: every validation brings such texts, and most of them are too short for a key. */
export function canHoldSecret(text: string): boolean {
  return text.length >= SHORTEST_FIND;
}
