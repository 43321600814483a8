import type { RateLimiter } from '../../../application/ports.js';
import { gcra, type RateDecision, type RateLimit } from '../../../domain/rate-limit.js';

const SWEEP_EVERY_MS = 60_000;

interface Bucket {
  /** Changed in place: as an entry of the map it would be a new object with every request. */
  tat: number;
}

/** Limits of this process alone: for a single instance, and for any while Redis is away. */
export class MemoryRateLimiter implements RateLimiter {
  private readonly buckets = new Map<string, Bucket>();
  private readonly timer = setInterval(() => this.sweep(), SWEEP_EVERY_MS).unref();

  constructor(
    private readonly limit: RateLimit,
    private readonly nowMicros: () => number = () => performance.now() * 1000,
  ) {}

  charge(keyId: string): RateDecision {
    // Whole microseconds: fractions would add up to a burst that is now and then one short.
    const now = Math.floor(this.nowMicros());
    const bucket = this.buckets.get(keyId);
    const { tat, decision } = gcra(this.limit, bucket?.tat, now);
    if (bucket) bucket.tat = tat;
    else this.buckets.set(keyId, { tat });
    return decision;
  }

  close(): void {
    clearInterval(this.timer);
  }

  /** A full bucket needs no entry. */
  private sweep(): void {
    const now = this.nowMicros();
    for (const [keyId, { tat }] of this.buckets) if (tat <= now) this.buckets.delete(keyId);
  }
}
