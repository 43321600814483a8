import { emissionIntervalMicros, gcra, type RateLimit } from '../rate-limit.js';
import { tooManyAttempts } from './password-throttle.js';

/** Wrong passwords of one network for accounts that it never signed in to, whichever they are: 100, then six a minute. */
const WRONG: RateLimit = { burst: 100, perSecond: 0.1 };
const SWEEP_EVERY = 1000;

/**
 * How many passwords a network that nobody knows may still have looked at. For one process: what it protects, the places
 * where passwords are hashed, is a process's own, and so a flood writes nothing.
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
    const { tat, decision } = gcra(WRONG, this.wholeAt.get(network), nowMs * 1000);
    if (!decision.admitted) throw tooManyAttempts(Math.ceil(decision.retryAfterMicros / 1_000_000));
    this.wholeAt.set(network, tat);
    this.spent += 1;
    if (this.spent % SWEEP_EVERY === 0) this.forgetWhole(nowMs * 1000);
  }

  /** The password was right, or was never looked at. */
  giveBack(network: string): void {
    const wholeAt = this.wholeAt.get(network);
    if (wholeAt !== undefined) this.wholeAt.set(network, wholeAt - emissionIntervalMicros(WRONG));
  }

  private forgetWhole(now: number): void {
    for (const [network, wholeAt] of this.wholeAt) if (wholeAt <= now) this.wholeAt.delete(network);
  }
}
