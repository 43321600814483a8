/** How many requests a key may send, or guesses a network: `burst` at once when rested, `perSecond` in the long run. */
export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

export interface RateDecision {
  readonly admitted: boolean;
  /** The burst. */
  readonly limit: number;
  /** Requests admissible right now. */
  readonly remaining: number;
  /** Until the limit is full again. */
  readonly resetAfterMicros: number;
  /** Until the next request is admitted; 0 when this one was. */
  readonly retryAfterMicros: number;
}

/** Rounded up to whole microseconds, so that the long run never exceeds the rate. */
export function emissionIntervalMicros({ perSecond }: RateLimit): number {
  return Math.ceil(1_000_000 / perSecond);
}

/** The seconds in which a whole burst refills, rounded up: `w` of the RateLimit-Policy header. */
export function rateLimitWindowSeconds({ perSecond, burst }: RateLimit): number {
  return Math.ceil(burst / perSecond);
}

/**
 * The Generic Cell Rate Algorithm (ITU-T I.371). `tat` is the theoretical arrival time: the moment at which the bucket
 * is full again. One number a key is all the state there is. No bucket is ever fuller than its tolerance from now, so
 * that a clock that was set back keeps a key waiting for no longer than its own requests would have.
 *
 * @param tat as this function answered it last, in microseconds on the clock of `now`; undefined for a rested key
 */
export function gcra(limit: RateLimit, tat: number | undefined, now: number): { tat: number; decision: RateDecision } {
  const interval = emissionIntervalMicros(limit);
  const tolerance = interval * limit.burst;
  const start = Math.min(Math.max(tat ?? now, now), now + tolerance);
  const admitted = start + interval - now <= tolerance;
  const newTat = admitted ? start + interval : start;
  return { tat: newTat, decision: rateDecision(limit, admitted, newTat - now) };
}

/** What the state after a request means for the caller. @param backlog microseconds until the bucket is full again */
export function rateDecision(limit: RateLimit, admitted: boolean, backlog: number): RateDecision {
  const interval = emissionIntervalMicros(limit);
  const tolerance = interval * limit.burst;
  return {
    admitted,
    limit: limit.burst,
    remaining: Math.max(0, Math.floor((tolerance - backlog) / interval)),
    resetAfterMicros: backlog,
    retryAfterMicros: admitted ? 0 : backlog + interval - tolerance,
  };
}
