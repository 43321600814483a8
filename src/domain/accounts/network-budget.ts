import { LatchkeyError } from '../errors.js';
import { gcra, type RateLimit } from '../keys/rate-limit.js';

/** Wrong passwords of one network for accounts that it never signed in to, whichever they are: 100, then six a minute. */
const WRONG_PASSWORDS: RateLimit = { perSecond: 0.1, burst: 100 };
const SWEEP_EVERY = 1000;

/**
 * How many passwords a network that nobody knows may still have looked at. For one process: what it protects, the places
 * where passwords are hashed, is a process's own, and so a flood costs no row and no statement.
 */
export class NetworkBudget {
  /** Of each network the moment at which its budget is whole again, in microseconds. */
  private readonly wholeAt = new Map<string, number>();
  private spent = 0;

  get networks(): number {
    return this.wholeAt.size;
  }

  /** Throws `too_many_attempts` when nothing is left. @param nowMs of a clock that is never set back */
  spend(network: string, nowMs: number): void {
    const now = Math.floor(nowMs * 1000);
    const { tat, decision } = gcra(WRONG_PASSWORDS, this.wholeAt.get(network), now);
    if (!decision.admitted) throw tooManyAttempts(Math.ceil(decision.retryAfterMicros / 1e6));
    this.wholeAt.set(network, tat);
    this.spent += 1;
    if (this.spent % SWEEP_EVERY === 0) this.forgetWhole(now);
  }

  /** The password was right, or was never looked at. */
  giveBack(network: string): void {
    const wholeAt = this.wholeAt.get(network);
    if (wholeAt !== undefined) this.wholeAt.set(network, wholeAt - 1e6 / WRONG_PASSWORDS.perSecond);
  }

  private forgetWhole(now: number): void {
    for (const [network, wholeAt] of this.wholeAt) if (wholeAt <= now) this.wholeAt.delete(network);
  }
}

export function tooManyAttempts(retryAfterSeconds: number): LatchkeyError {
  const message = `Too many attempts: try again in ${retryAfterSeconds} seconds`;
  return new LatchkeyError('too_many_attempts', message, { retryAfterSeconds });
}
