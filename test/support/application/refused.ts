import { Refusal } from '#domain/errors.js';

/** Returns the value of the work, or the Refusal that it throws. */
export function refused<T>(work: () => T): T | Refusal {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}
