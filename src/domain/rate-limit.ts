/** `burst` requests at once after a rest, `perSecond` in the long run. */
export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

export interface RateDecision {
  readonly admitted: boolean;
  /** What the request was charged by. */
  readonly limit: RateLimit;
  readonly remaining: number;
  /** Until the whole burst is available again. */
  readonly resetAfterMicros: number;
  /** Until the next request is admitted; 0 when this one was. */
  readonly retryAfterMicros: number;
  /** How many uses of a lease were charged as well, which `remaining` does not count. Only if they were wanted. */
  readonly usesAhead?: number;
}

/** Rounded up to whole microseconds, so that the average never exceeds the rate. */
export function emissionIntervalMicros({ perSecond }: RateLimit): number {
  return Math.ceil(1_000_000 / perSecond);
}

/** How many seconds a whole burst takes to refill, rounded up: `w` of the RateLimit-Policy header. */
export function rateLimitWindowSeconds({ perSecond, burst }: RateLimit): number {
  return Math.ceil(burst / perSecond);
}

/**
 * The Generic Cell Rate Algorithm (ITU-T I.371). `tat` is the theoretical arrival time: when the bucket is full again.
 * It is capped at `now` plus the tolerance, so that a clock that was set back delays a key no longer than its own
 * requests would have.
 *
 * @param tat the last result of this function, in microseconds on the clock of `now`; undefined for a key at rest
 */
export function gcra(limit: RateLimit, tat: number | undefined, now: number): { tat: number; decision: RateDecision } {
  const interval = emissionIntervalMicros(limit);
  const tolerance = interval * limit.burst;
  const start = Math.min(Math.max(tat ?? now, now), now + tolerance);
  const admitted = start + interval - now <= tolerance;
  const newTat = admitted ? start + interval : start;
  return { tat: newTat, decision: rateDecision(limit, admitted, newTat - now) };
}

/** What is stored of a key whose rate may change. */
export interface StoredCharge {
  readonly tat: number;
  /** The emission interval that `tat` was computed with. */
  readonly intervalMicros: number;
}

/** `tat` for another interval. The requests that the key has used of its burst stay used, and nothing more. */
export function convertTat({ tat, intervalMicros }: StoredCharge, newIntervalMicros: number, now: number): number {
  if (intervalMicros === newIntervalMicros || tat <= now) return tat;
  return now + Math.ceil(((tat - now) / intervalMicros) * newIntervalMicros);
}

/** @param backlog microseconds until the bucket is full again, after this request */
export function rateDecision(limit: RateLimit, admitted: boolean, backlog: number): RateDecision {
  const interval = emissionIntervalMicros(limit);
  const tolerance = interval * limit.burst;
  return {
    admitted,
    limit,
    remaining: Math.max(0, Math.floor((tolerance - backlog) / interval)),
    resetAfterMicros: backlog,
    retryAfterMicros: admitted ? 0 : backlog + interval - tolerance,
  };
}

/** Uses of a lease take at most this share of what is left. Other guards find the other half. */
export const LEASED_SHARE = 0.5;

/** Charges several requests at once, as many as the limit admits, or this share of them. @param tat see `gcra` */
export function chargeUpTo(limit: RateLimit, tat = 0, now: number, wanted: number, share = 1) {
  const interval = emissionIntervalMicros(limit);
  const start = Math.max(tat, now);
  const left = Math.floor((now + interval * limit.burst - start) / interval);
  const admitted = Math.max(0, Math.min(wanted, Math.floor(left * share)));
  return { tat: start + admitted * interval, admitted };
}
