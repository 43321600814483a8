import { LatchkeyError } from '../../../../domain/errors.js';

const LONGEST_MS = 500;

/**
 * Delays the answer to a client that should try again later, each by a random time. Clients that retry as soon as they
 * get an answer are slowed down and spread out, so they do not return in waves that delay everybody else.
 */
export async function turnAway(error: unknown): Promise<never> {
  const isToTryAgain = error instanceof LatchkeyError && error.details.retryAfterSeconds !== undefined;
  if (isToTryAgain) await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_MS));
  throw error;
}
