import { type Cluster, type Redis, ReplyError } from 'ioredis';
import type { RateLimiter } from '#application/validation-ports.js';
import type { RedisConfig } from '#config/redis-config.js';
import { emissionIntervalMicros, rateDecision, type RateDecision, type RateLimit } from '#domain/rate-limit.js';
import { Batcher } from '../batching/batcher.js';
import { withTimeout } from '../batching/timeout.js';
import { counter, gauge, type Instrument } from '#infrastructure/telemetry/instrument.js';
import type { Log } from '#infrastructure/telemetry/log.js';
import { Outage } from '#infrastructure/telemetry/outage.js';
import { NO_TRACES, type Traces } from '#infrastructure/telemetry/traces.js';
import { GCRA, type Scripts } from './gcra-script.js';
import { openRedis } from './open-redis.js';

/** How long a validation waits for Redis before the limits of this process decide. */
const DEADLINE_MS = 20;
/** While Redis refuses. */
const PROBE_EVERY_MS = 1000;

/** How many keys a call charges, and how many calls may run before all of them become late. */
const TOGETHER = { maxBatch: 512, maxInFlight: 16 };
/** In a cluster, one call can only charge keys of the same slot. */
const ONE_BY_ONE = { maxBatch: 1, maxInFlight: 8192 };

/** A connection that does not answer for a second is dropped, and its waiting calls fail. */
const CONNECTION = {
  connectTimeout: 1000,
  // TCP's: load balancers and firewalls forget a connection without traffic.
  keepAlive: 20_000,
  socketTimeout: 1000,
  // The server has become a replica. After reconnecting, its host name or its sentinels lead to the new primary.
  reconnectOnError: ({ message }: Error) => message.includes('READONLY'),
};

/** One request of a key. */
interface Charge {
  readonly keyId: string;
  readonly limit: RateLimit;
  /** How many uses of a lease to charge with it. */
  readonly ahead: number;
}

const storedAs = (keyId: string) => `latchkey:rate:${keyId}`;
/** A key that nobody has, in the slot of the other one. */
const besides = (stored: string) => storedAs(`probe{${stored}}`);

/**
 * Limits shared by all instances. Never fails and never waits long: `local` decides while Redis is unavailable or slow.
 */
export class RedisRateLimiter implements RateLimiter {
  private readonly redis: (Redis | Cluster) & Scripts;
  private readonly isCluster: boolean;
  private readonly batcher: Batcher<Charge, RateDecision>;
  private readonly outage: Outage;
  /** A stored key that could not be charged: Redis lacks a right or memory, became a replica, or lost a part of a cluster. */
  private refused: string | undefined;
  private readonly timer: NodeJS.Timeout;
  private fallbacks = 0;

  constructor(
    config: RedisConfig,
    private readonly local: { charge(keyId: string, limit: RateLimit, ahead: number): RateDecision },
    log: Log,
    traces: Traces = NO_TRACES,
    private readonly deadlineMs = DEADLINE_MS,
  ) {
    this.outage = new Outage(log, {
      store: 'Redis',
      effect: 'each process counts rate limits for itself',
      again: 'rate limits are shared again',
    });
    this.isCluster = config.kind === 'cluster';
    this.redis = openRedis(config, CONNECTION) as (Redis | Cluster) & Scripts;
    this.redis.defineCommand('gcra', { lua: GCRA });
    this.redis.on('error', (error: Error & { lastNodeError?: Error }) =>
      this.outage.noticed(error.lastNodeError ?? error),
    );
    this.redis.on('ready', () => void this.probe(this.refused ?? storedAs('')));
    this.timer = setInterval(() => {
      if (this.refused !== undefined && this.redis.status === 'ready') void this.probe(this.refused);
    }, PROBE_EVERY_MS).unref();
    // Keys that waited behind a late call are not sent any more.
    this.batcher = new Batcher({
      send: (charges) => this.decide(charges),
      instead: (charge) => this.decideHere(charge),
      ...(this.isCluster ? ONE_BY_ONE : TOGETHER),
      timeoutMs: deadlineMs,
      name: 'redis gcra',
      traces,
    });
  }

  charge(keyId: string, limit: RateLimit, ahead = 0): Promise<RateDecision> {
    return this.batcher.add({ keyId, limit, ahead });
  }

  instruments(): Instrument[] {
    const up = () => (this.redis.status === 'ready' && this.refused === undefined ? 1 : 0);
    return [
      gauge('latchkey_redis_up', 'Whether Redis is connected (1) or unavailable (0)', up, 'min'),
      counter('latchkey_redis_fallbacks_total', 'Charges that the process decided without Redis', () => this.fallbacks),
    ];
  }

  close(): void {
    clearInterval(this.timer);
    this.redis.disconnect();
  }

  private async decide(charges: readonly Charge[]): Promise<RateDecision[]> {
    const answers = await withTimeout(this.deadlineMs, this.chargeInRedis(charges));
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

  private async chargeInRedis(charges: readonly Charge[]): Promise<readonly number[]> {
    if (this.redis.status !== 'ready') throw new Error('Redis is not connected');
    const stored = charges.map(({ keyId }) => storedAs(keyId));
    const each = charges.flatMap(({ limit, ahead }) => {
      const intervalMicros = emissionIntervalMicros(limit);
      return [intervalMicros, intervalMicros * limit.burst, ahead];
    });
    try {
      return await this.redis.gcra(stored.length, ...stored, ...each);
    } catch (error) {
      this.failed(stored[0]!, error);
      throw error;
    }
  }

  /** Charges with all that a charge needs. */
  private async probe(stored: string): Promise<void> {
    try {
      await this.redis.gcra(1, besides(stored), 1, 1, 0);
      this.refused = undefined;
      this.outage.over();
    } catch (error) {
      this.failed(stored, error);
    }
  }

  /** A lost connection to a server reports itself. In a cluster, only the keys of that node fail. */
  private failed(stored: string, error: unknown): void {
    if (!this.isCluster && !(error instanceof ReplyError)) return;
    this.refused = stored;
    this.outage.noticed(error);
  }
}
