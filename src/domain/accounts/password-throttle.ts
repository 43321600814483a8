import { LatchkeyError } from '../errors.js';
import { MINUTE_MS } from '../time.js';

/** How wrong guesses of one subject (an account, or an account from one network) are slowed down. */
export interface ThrottlePolicy {
  /** Guesses without a wait. */
  readonly freeGuesses: number;
}

export interface ThrottleState {
  /** Counted attempts that have not turned out to be right. */
  readonly failures: number;
  readonly lastAttemptAt: Date;
  readonly blockedUntil: Date | null;
}

export type ThrottleDecision =
  | { readonly admitted: true; readonly state: ThrottleState }
  | { readonly admitted: false; readonly retryAfterSeconds: number };

const FIRST_WAIT_MS = 15_000;
const LONGEST_WAIT_MS = 15 * MINUTE_MS;
/** One failure is forgotten after each such period without an attempt. A pause gives no more guesses than a wait. */
export const FAILURE_FORGOTTEN_AFTER_MS = LONGEST_WAIT_MS;

/** How long after its last attempt we remember that a subject was right once. */
export const SUCCESSES_KEPT_DAYS = 90;

/** Sign-in to one account from one client network: stops somebody who guesses there without locking the owner out. */
export const SIGN_IN_FROM_NETWORK: ThrottlePolicy = { freeGuesses: 5 };
/** Sign-in to one account from all networks that never signed in to it: limits guesses from many networks. */
export const SIGN_IN_TO_ACCOUNT: ThrottlePolicy = { freeGuesses: 100 };
/** Password confirmations by a person who is signed in. */
export const CONFIRMATION: ThrottlePolicy = { freeGuesses: 5 };

/** Counts an attempt before its password is checked. After the free guesses each attempt doubles the wait. */
export function attemptPassword(policy: ThrottlePolicy, state: ThrottleState | undefined, now: Date): ThrottleDecision {
  if (state?.blockedUntil && state.blockedUntil > now) {
    return { admitted: false, retryAfterSeconds: Math.ceil((state.blockedUntil.getTime() - now.getTime()) / 1000) };
  }
  const failures = (state ? failuresThatCount(state, now) : 0) + 1;
  const excess = failures - policy.freeGuesses;
  const waitMs = excess < 0 ? 0 : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** excess);
  return {
    admitted: true,
    state: { failures, lastAttemptAt: now, blockedUntil: waitMs ? new Date(now.getTime() + waitMs) : null },
  };
}

function failuresThatCount({ failures, lastAttemptAt }: ThrottleState, now: Date): number {
  const forgotten = Math.floor((now.getTime() - lastAttemptAt.getTime()) / FAILURE_FORGOTTEN_AFTER_MS);
  return Math.max(0, failures - Math.max(0, forgotten));
}

export function tooManyAttempts(retryAfterSeconds: number): LatchkeyError {
  const message = `Too many attempts: try again in ${retryAfterSeconds} seconds`;
  return new LatchkeyError('too_many_attempts', message, { retryAfterSeconds });
}
