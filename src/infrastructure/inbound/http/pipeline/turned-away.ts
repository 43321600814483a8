import { LatchkeyError } from '../../../../domain/errors.js';

const LONGEST_MS = 500;

/** Delays an answer that says to retry later, by a random time, so that clients do not return in waves. */
export async function turnAway(error: unknown): Promise<never> {
  const isToTryAgain = error instanceof LatchkeyError && error.details.retryAfterSeconds !== undefined;
  if (isToTryAgain) await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_MS));
  throw error;
}
