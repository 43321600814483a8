import type { Actor } from '../audit/audit-event.js';
import type { KeyProof } from './key-proof.js';
import type { LeakSite } from '../audit/event-details.js';
import { tooManyAttempts } from '../accounts/passwords.js';
import { gcra, type RateLimit } from '../rate-limit.js';

/** The part of a report that is stored until its keys have ended. */
export interface LeakReport extends LeakSite {
  /** Without a name when the report is anonymous. */
  readonly reporter: Actor;
  /** Empty when no text of the report was shaped like a key. */
  readonly keys: readonly KeyProof[];
}

/** What a request with reports takes from the budget of its sender. */
export interface ReportCharge {
  /** Its `burst` is the whole budget. */
  readonly budget: RateLimit;
  /** At most the whole budget. */
  readonly cost: number;
}

/** Of a network: 60 requests at once, then one a minute. */
export const REQUESTS_OF_NETWORK: RateLimit = { burst: 60, perSecond: 60 / 3600 };
/** Of a service: 20,000 found keys at once, then as many an hour. That is ten of the longest lists. */
export const FINDINGS_OF_SERVICE: RateLimit = { burst: 20_000, perSecond: 20_000 / 3600 };

/** Returns when the budget is full again after this charge. Throws `too_many_attempts`. */
export function spendBudget({ budget, cost }: ReportCharge, fullAt: Date | undefined, now: Date): Date {
  const micros = (at: Date) => at.getTime() * 1000;
  // A charge of n counts as one request under an n-th of the limit.
  const limit = { burst: budget.burst / cost, perSecond: budget.perSecond / cost };
  const { tat, decision } = gcra(limit, fullAt && micros(fullAt), micros(now));
  if (!decision.admitted) throw tooManyAttempts(Math.ceil(decision.retryAfterMicros / 1_000_000));
  return new Date(Math.ceil(tat / 1000));
}

/** After this time, a turn starts to end no more keys of its report. The remaining keys wait for another turn. */
export const TURN_MS = 2000;

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 8000;

/** The pause after a turn in which keys could not be ended. Short, because these keys still work. */
export function pauseAfterTurn(tries: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS);
}
