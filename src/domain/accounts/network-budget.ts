import { emissionIntervalMicros, gcra, type RateLimit } from '../rate-limit.js';
import { tooManyAttempts } from './password-throttle.js';

/**
 * Wrong passwords that one network may try on accounts to which it never signed in: 100 at once, then six a minute for
 * all of these accounts together.
 */
const WRONG: RateLimit = { burst: 100, perSecond: 0.1 };
const SWEEP_EVERY = 1000;

/**
 * How many passwords an unknown network may still try. Each process keeps a budget of its own, in memory: it protects
 * the password hashing of this process, and a flood causes no writes.
 */
export class NetworkBudget {
  /** For each network, the time at which its budget is full again, in microseconds. */
  private readonly wholeAt = new Map<string, number>();
  private spent = 0;

  get networks(): number {
    return this.wholeAt.size;
  }

  /** Throws `too_many_attempts` when the budget is spent. @param nowMs from a monotonic clock */
  spend(network: string, nowMs: number): void {
    const { tat, decision } = gcra(WRONG, this.wholeAt.get(network), nowMs * 1000);
    if (!decision.admitted) throw tooManyAttempts(Math.ceil(decision.retryAfterMicros / 1_000_000));
    this.wholeAt.set(network, tat);
    this.spent += 1;
    if (this.spent % SWEEP_EVERY === 0) this.forgetWhole(nowMs * 1000);
  }

  /** For a password that was right or was never checked. */
  giveBack(network: string): void {
    const wholeAt = this.wholeAt.get(network);
    if (wholeAt !== undefined) this.wholeAt.set(network, wholeAt - emissionIntervalMicros(WRONG));
  }

  private forgetWhole(now: number): void {
    for (const [network, wholeAt] of this.wholeAt) if (wholeAt <= now) this.wholeAt.delete(network);
  }
}
