import type { RateLimiter } from '../../../application/ports.js';
import type { RedisConfig } from '../../../config/redis-config.js';
import { rateDecision, type RateDecision, type RateLimit } from '../../../domain/rate-limit.js';
import { Batcher } from '../batching/batcher.js';
import { withTimeout } from '../batching/timeout.js';
import { counter, gauge, type Instrument } from '../../telemetry/instrument.js';
import type { Log } from '../../telemetry/log.js';
import { Outage } from '../../telemetry/outage.js';
import { NO_TRACES, type Traces } from '../../telemetry/traces.js';
import { RedisCluster } from './cluster/redis-cluster.js';
import { RedisServer } from './redis-server.js';
import * as shared from './shared-limits.js';

/** How long a validation waits for Redis before the limits of this process decide. */
const DEADLINE_MS = 20;

const MAX_BATCH = 512;
/** How many calls may run on a server before all of them become late. */
const MAX_IN_FLIGHT = 16;

/**
 * Limits shared by all instances. Never fails and never waits long: `local` decides while Redis is unavailable or slow.
 */
export class RedisRateLimiter implements RateLimiter {
  private readonly redis: shared.SharedLimits;
  private fallbacks = 0;

  constructor(
    config: RedisConfig,
    private readonly local: { charge(keyId: string, limit: RateLimit, ahead: number): RateDecision },
    log: Log,
    private readonly traces: Traces = NO_TRACES,
    private readonly deadlineMs = DEADLINE_MS,
  ) {
    const outage = new Outage(log, {
      store: 'Redis',
      effect: 'each process counts rate limits for itself',
      again: 'rate limits are shared again',
    });
    const batcher: shared.MakeBatcher = (send) => this.batcher(send);
    const isCluster = config.kind === 'cluster';
    this.redis = isCluster ? new RedisCluster(config, batcher, outage) : new RedisServer(config, batcher, outage);
  }

  charge(keyId: string, limit: RateLimit, ahead = 0): RateDecision | Promise<RateDecision> {
    const charge = { keyId, limit, ahead };
    return this.redis.batcherOf(keyId)?.add(charge) ?? this.decideHere(charge);
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

  /** Keys that waited behind a late call are not sent any more. */
  private batcher(send: shared.SendCharges): shared.ChargeBatcher {
    return new Batcher({
      send: (charges) => this.decide(charges, send),
      instead: (charge) => this.decideHere(charge),
      maxBatch: MAX_BATCH,
      maxInFlight: MAX_IN_FLIGHT,
      timeoutMs: this.deadlineMs,
      name: 'redis gcra',
      traces: this.traces,
    });
  }

  private async decide(charges: readonly shared.Charge[], send: shared.SendCharges): Promise<RateDecision[]> {
    const answers = await withTimeout(this.deadlineMs, send(charges));
    return charges.map((charge, n) => {
      const charged = answers[2 * n]!;
      if (charged === shared.NOT_CHARGED) return this.decideHere(charge);
      const decision = rateDecision(charge.limit, charged > 0, answers[2 * n + 1]!);
      return charge.ahead > 0 ? { ...decision, usesAhead: Math.max(0, charged - 1) } : decision;
    });
  }

  private decideHere({ keyId, limit, ahead }: shared.Charge): RateDecision {
    this.fallbacks += 1;
    return this.local.charge(keyId, limit, ahead);
  }
}
