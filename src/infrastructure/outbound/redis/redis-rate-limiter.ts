import type { RateLimiter } from '#application/ports.js';
import type { RedisConfig } from '#config/redis-config.js';
import { rateDecision, type RateDecision, type RateLimit } from '#domain/rate-limit.js';
import { Batcher } from '../batching/batcher.js';
import { withTimeout } from '../batching/timeout.js';
import { counter, gauge, type Instrument } from '#infrastructure/telemetry/instrument.js';
import type { Log } from '#infrastructure/telemetry/log.js';
import { Outage } from '#infrastructure/telemetry/outage.js';
import { NO_TRACES, type Traces } from '#infrastructure/telemetry/traces.js';
import { SharedLimits, type Charge } from './shared-limits.js';

/** How long a validation waits for Redis before the limits of this process decide. */
const DEADLINE_MS = 20;

/** How many keys a call charges, and how many calls may run before all of them become late. */
const TOGETHER = { maxBatch: 512, maxInFlight: 16 };
const ONE_BY_ONE = { maxBatch: 1, maxInFlight: 8192 };

/**
 * Limits shared by all instances. Never fails and never waits long: `local` decides while Redis is unavailable or slow.
 */
export class RedisRateLimiter implements RateLimiter {
  private readonly redis: SharedLimits;
  private readonly batcher: Batcher<Charge, RateDecision>;
  private fallbacks = 0;

  constructor(
    config: RedisConfig,
    private readonly local: { charge(keyId: string, limit: RateLimit, ahead: number): RateDecision },
    log: Log,
    traces: Traces = NO_TRACES,
    private readonly deadlineMs = DEADLINE_MS,
  ) {
    const outage = new Outage(log, {
      store: 'Redis',
      effect: 'each process counts rate limits for itself',
      again: 'rate limits are shared again',
    });
    this.redis = new SharedLimits(config, outage);
    // Keys that waited behind a late call are not sent any more.
    this.batcher = new Batcher({
      send: (charges) => this.decide(charges),
      instead: (charge) => this.decideHere(charge),
      ...(this.redis.areChargedTogether ? TOGETHER : ONE_BY_ONE),
      timeoutMs: deadlineMs,
      name: 'redis gcra',
      traces,
    });
  }

  charge(keyId: string, limit: RateLimit, ahead = 0): Promise<RateDecision> {
    return this.batcher.add({ keyId, limit, ahead });
  }

  instruments(): Instrument[] {
    const up = () => (this.redis.isUp ? 1 : 0);
    return [
      gauge('latchkey_redis_up', 'Whether Redis is connected (1) or unavailable (0)', up, 'min'),
      counter('latchkey_redis_fallbacks_total', 'Charges that the process decided without Redis', () => this.fallbacks),
    ];
  }

  close(): void {
    this.redis.close();
  }

  private async decide(charges: readonly Charge[]): Promise<RateDecision[]> {
    const answers = await withTimeout(this.deadlineMs, this.redis.charge(charges));
    return charges.map(({ limit, ahead }, n) => {
      const charged = answers[2 * n]!;
      const decision = rateDecision(limit, charged > 0, answers[2 * n + 1]!);
      return ahead > 0 ? { ...decision, usesAhead: Math.max(0, charged - 1) } : decision;
    });
  }

  private decideHere({ keyId, limit, ahead }: Charge): RateDecision {
    this.fallbacks += 1;
    return this.local.charge(keyId, limit, ahead);
  }
}
