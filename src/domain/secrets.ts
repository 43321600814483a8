// Stryker disable next-line ArithmeticOperator: with a lower one more texts are looked through, in vain.
const SHORTEST_SECRET = 24 + 1 + 16;
const SECRET_IN_TEXT = /([0-9a-f]{24}(?:\.|%2e))[0-9a-f]{16,}/gi;

/** For text that others wrote and that is about to be kept: people paste keys into paths and user agents. */
export function withoutSecrets(text: string): string {
  // Stryker disable next-line ConditionalExpression: looking through a short text takes longer and finds nothing.
  if (text.length < SHORTEST_SECRET) return text;
  return text.replace(SECRET_IN_TEXT, '$1…');
}
