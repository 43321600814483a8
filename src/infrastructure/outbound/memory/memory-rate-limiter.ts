import type { RateLimiter } from '#application/validation-ports.js';
import {
  chargeUpTo,
  convertTat,
  emissionIntervalMicros,
  gcra,
  LEASED_SHARE,
  type RateDecision,
  type RateLimit,
  type StoredCharge,
} from '#domain/rate-limit.js';

const SWEEP_EVERY_MS = 60_000;

/** Changed in place, so that a request creates no new object. */
type Bucket = { -readonly [Field in keyof StoredCharge]: StoredCharge[Field] };

/** Rate limits of this process only: for a single instance, and for each instance while Redis is unavailable. */
export class MemoryRateLimiter implements RateLimiter {
  private readonly buckets = new Map<string, Bucket>();
  private readonly timer = setInterval(() => this.sweep(), SWEEP_EVERY_MS).unref();

  constructor(private readonly nowMicros: () => number = () => performance.now() * 1000) {}

  charge(keyId: string, limit: RateLimit, ahead = 0): RateDecision {
    // Whole microseconds, because the rounding errors of fractions would at times make a burst one request short.
    const now = Math.floor(this.nowMicros());
    const intervalMicros = emissionIntervalMicros(limit);
    const bucket = this.buckets.get(keyId);
    const { tat: first, decision } = gcra(limit, bucket && convertTat(bucket, intervalMicros, now), now);
    const wanted = decision.admitted ? ahead : 0;
    const leased = ahead > 0 ? chargeUpTo(limit, first, now, wanted, LEASED_SHARE) : undefined;
    const tat = leased?.tat ?? first;
    if (!bucket) this.buckets.set(keyId, { tat, intervalMicros });
    else {
      bucket.tat = tat;
      bucket.intervalMicros = intervalMicros;
    }
    return leased ? { ...decision, usesAhead: leased.admitted } : decision;
  }

  close(): void {
    clearInterval(this.timer);
  }

  /** Removes full buckets, which need no entry. */
  private sweep(): void {
    const now = this.nowMicros();
    for (const [keyId, { tat }] of this.buckets) if (tat <= now) this.buckets.delete(keyId);
  }
}
