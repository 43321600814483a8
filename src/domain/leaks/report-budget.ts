import { tooManyAttempts } from '../accounts/password-throttle.js';
import { gcra, type RateLimit } from '../rate-limit.js';

/** Requests of one network that nobody answers for: 60 an hour, which may come at once, and one a minute after that. */
export const REPORTS_PER_NETWORK: RateLimit = { burst: 60, perSecond: 60 / 3600 };

/**
 * When the network's budget will be whole again, once one more request is taken from it. Throws `too_many_attempts` where none
 * is left.
 * @param wholeAt undefined for a network that has sent none
 */
export function spendReport(wholeAt: Date | undefined, now: Date): Date {
  const micros = (at: Date) => at.getTime() * 1000;
  const { tat, decision } = gcra(REPORTS_PER_NETWORK, wholeAt && micros(wholeAt), micros(now));
  if (!decision.admitted) throw tooManyAttempts(Math.ceil(decision.retryAfterMicros / 1_000_000));
  return new Date(Math.ceil(tat / 1000));
}
