import { emissionIntervalMicros, gcra, type RateLimit } from '../rate-limit.js';
import { tooManyAttempts } from './password-throttle.js';

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
    if (this.spent % SWEEP_EVERY === 0) this.forgetFull(nowMs * 1000);
  }

  /** For a password that was right or was never checked. */
  giveBack(network: string): void {
    const fullAt = this.fullAt.get(network);
    if (fullAt !== undefined) this.fullAt.set(network, fullAt - emissionIntervalMicros(GUESSES));
  }

  private forgetFull(now: number): void {
    for (const [network, fullAt] of this.fullAt) if (fullAt <= now) this.fullAt.delete(network);
  }
}
