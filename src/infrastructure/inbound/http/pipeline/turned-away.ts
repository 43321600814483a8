import { LatchkeyError } from '../../../../domain/errors.js';

const LONGEST_MS = 500;

/**
 * A client that is to try again later gets this answer after a moment, and each after another one: a crowd that asks again
 * as soon as it is answered stays thin, and does not come in waves that everybody else waits behind.
 */
export async function turnAway(error: unknown): Promise<never> {
  const isToTryAgain = error instanceof LatchkeyError && error.details.retryAfterSeconds !== undefined;
  if (isToTryAgain) await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_MS));
  throw error;
}
