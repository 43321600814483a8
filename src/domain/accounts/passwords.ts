import { lengthProblem, LatchkeyError } from '../errors.js';
import { MINUTE_MS } from '../time.js';
import { emissionIntervalMicros, gcra, type RateLimit } from '../rate-limit.js';

export const MAX_PASSWORD_LENGTH = 1024;
/** In Unicode characters. NIST SP 800-63B and OWASP ASVS require this length. */
const LEAST_NEW_LENGTH = 8;

/** For a password that a person types. It has no minimum length, since it may have been set under an older rule. */
export function passwordProblem(password: string): string | undefined {
  return lengthProblem(password, MAX_PASSWORD_LENGTH);
}

export function newPasswordProblem(password: string): string | undefined {
  const isLongEnough = [...password.slice(0, 2 * LEAST_NEW_LENGTH)].length >= LEAST_NEW_LENGTH;
  if (isLongEnough && password.length <= MAX_PASSWORD_LENGTH) return undefined;
  return `must be ${LEAST_NEW_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`;
}

/** What is kept about wrong guesses of one subject: an account, or an account from one network. */
export interface ThrottleState {
  /** Counted attempts that have not turned out to be right. */
  readonly failures: number;
  readonly lastAttemptAt: Date;
  readonly blockedUntil: Date | null;
}

const FIRST_WAIT_MS = 15_000;
const LONGEST_WAIT_MS = 15 * MINUTE_MS;
/** One failure is forgotten after each such period without an attempt. A pause gives no more guesses than a wait. */
export const FAILURE_FORGOTTEN_AFTER_MS = LONGEST_WAIT_MS;

/** How long after its last attempt we remember that a subject was right once. */
export const SUCCESSES_KEPT_DAYS = 90;

/** Sign-in to one account from one client network: stops somebody who guesses there without locking the owner out. */
export const FREE_GUESSES_FROM_NETWORK = 5;
/** Sign-in to one account from all networks that never signed in to it: limits guesses from many networks. */
export const FREE_GUESSES_TO_ACCOUNT = 100;
/** Password confirmations by a person who is signed in. */
export const FREE_GUESSES_TO_CONFIRM = 5;

/**
 * Counts an attempt before its password is checked. After the free guesses each attempt doubles the wait. Throws
 * `too_many_attempts`.
 */
export function attemptPassword(freeGuesses: number, state: ThrottleState | undefined, now: Date): ThrottleState {
  if (state?.blockedUntil && state.blockedUntil > now) {
    throw tooManyAttempts(Math.ceil((state.blockedUntil.getTime() - now.getTime()) / 1000));
  }
  const restMs = state ? now.getTime() - state.lastAttemptAt.getTime() : 0;
  const forgotten = Math.max(0, Math.floor(restMs / FAILURE_FORGOTTEN_AFTER_MS));
  const failures = Math.max(0, (state?.failures ?? 0) - forgotten) + 1;
  const excess = failures - freeGuesses;
  const waitMs = excess < 0 ? 0 : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** excess);
  return { failures, lastAttemptAt: now, blockedUntil: waitMs ? new Date(now.getTime() + waitMs) : null };
}

export function tooManyAttempts(retryAfterSeconds: number): LatchkeyError {
  const message = `Too many attempts: try again in ${retryAfterSeconds} seconds`;
  return new LatchkeyError('too_many_attempts', message, { retryAfterSeconds });
}

/** For passwords on all accounts to which a network never signed in, together: 100 at once, then six a minute. */
const GUESSES: RateLimit = { burst: 100, perSecond: 0.1 };
const SWEEP_EVERY = 1000;

/** Limits the passwords that unknown networks try. Each process counts in memory, so that a flood causes no writes. */
export class NetworkBudget {
  /** For each network, the time at which its budget is full again, in microseconds. */
  private readonly fullAt = new Map<string, number>();
  private spent = 0;

  get networks(): number {
    return this.fullAt.size;
  }

  /** Throws `too_many_attempts` when the budget is spent. @param nowMs from a monotonic clock */
  spend(network: string, nowMs: number): void {
    const { tat, decision } = gcra(GUESSES, this.fullAt.get(network), nowMs * 1000);
    if (!decision.admitted) throw tooManyAttempts(Math.ceil(decision.retryAfterMicros / 1_000_000));
    this.fullAt.set(network, tat);
    this.spent += 1;
    if (this.spent % SWEEP_EVERY !== 0) return;
    for (const [name, fullAt] of this.fullAt) if (fullAt <= nowMs * 1000) this.fullAt.delete(name);
  }

  /** For a password that was right or was never checked. */
  giveBack(network: string): void {
    const fullAt = this.fullAt.get(network);
    if (fullAt !== undefined) this.fullAt.set(network, fullAt - emissionIntervalMicros(GUESSES));
  }
}
