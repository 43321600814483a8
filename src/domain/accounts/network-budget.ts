import { LatchkeyError } from '../errors.js';

/** Wrong passwords of one network for accounts that it never signed in to, whichever they are: 100, then six a minute. */
const WRONG_AT_ONCE = 100;
const ONE_MORE_AFTER_MS = 10_000;
const SWEEP_EVERY = 1000;

/**
 * How many passwords a network that nobody knows may still have looked at. For one process: what it protects, the places
 * where passwords are hashed, is a process's own, and so a flood writes nothing.
 */
export class NetworkBudget {
  /** Of each network the moment at which its budget is whole again, in milliseconds. */
  private readonly wholeAt = new Map<string, number>();
  private spent = 0;

  get networks(): number {
    return this.wholeAt.size;
  }

  /** Throws `too_many_attempts` when nothing is left. @param nowMs of a clock that is never set back */
  spend(network: string, nowMs: number): void {
    const wholeAt = Math.max(this.wholeAt.get(network) ?? nowMs, nowMs) + ONE_MORE_AFTER_MS;
    const waitMs = wholeAt - nowMs - WRONG_AT_ONCE * ONE_MORE_AFTER_MS;
    if (waitMs > 0) throw tooManyAttempts(Math.ceil(waitMs / 1000));
    this.wholeAt.set(network, wholeAt);
    this.spent += 1;
    if (this.spent % SWEEP_EVERY === 0) this.forgetWhole(nowMs);
  }

  /** The password was right, or was never looked at. */
  giveBack(network: string): void {
    const wholeAt = this.wholeAt.get(network);
    if (wholeAt !== undefined) this.wholeAt.set(network, wholeAt - ONE_MORE_AFTER_MS);
  }

  private forgetWhole(nowMs: number): void {
    for (const [network, wholeAt] of this.wholeAt) if (wholeAt <= nowMs) this.wholeAt.delete(network);
  }
}

export function tooManyAttempts(retryAfterSeconds: number): LatchkeyError {
  const message = `Too many attempts: try again in ${retryAfterSeconds} seconds`;
  return new LatchkeyError('too_many_attempts', message, { retryAfterSeconds });
}
