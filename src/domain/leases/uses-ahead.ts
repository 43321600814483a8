import { emissionIntervalMicros, type RateLimit } from '../rate-limit.js';

/**
 * Charges the uses of a lease beforehand, all that the limit admits now, up to `wanted`.
 * @param tat see `gcra`, after the charge for the request itself
 */
export function chargeAhead(limit: RateLimit, tat: number, now: number, wanted: number): { tat: number; uses: number } {
  const interval = emissionIntervalMicros(limit);
  const start = Math.max(tat, now);
  const admitted = Math.floor((now + interval * limit.burst - start) / interval);
  const uses = Math.max(0, Math.min(wanted, admitted));
  return { tat: start + uses * interval, uses };
}
