import { tooManyAttempts } from '../accounts/password-throttle.js';
import { gcra, type RateLimit } from '../rate-limit.js';

/** Anonymous reports from one network: 60 at once, then one a minute. */
export const REPORTS_PER_NETWORK: RateLimit = { burst: 60, perSecond: 60 / 3600 };

/** Returns when the network's budget is full again after one more request. Throws `too_many_attempts`. */
export function spendReport(fullAt: Date | undefined, now: Date): Date {
  const micros = (at: Date) => at.getTime() * 1000;
  const { tat, decision } = gcra(REPORTS_PER_NETWORK, fullAt && micros(fullAt), micros(now));
  if (!decision.admitted) throw tooManyAttempts(Math.ceil(decision.retryAfterMicros / 1_000_000));
  return new Date(Math.ceil(tat / 1000));
}
