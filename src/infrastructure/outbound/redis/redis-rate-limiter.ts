import { Redis } from 'ioredis';
import { RateLimiter } from '../../../application/ports.js';
import { emissionIntervalMicros, rateDecision, type RateDecision, type RateLimit } from '../../../domain/rate-limit.js';
import { Batcher } from '../batching/batcher.js';
import { counter, gauge, type Instrument } from '../../telemetry/instrument.js';
import type { Log } from '../../telemetry/log.js';
import { Outage } from '../../telemetry/outage.js';
import { NO_TRACES } from '../../telemetry/traces.js';

/** How long a validation waits for Redis before the limits of this process decide. */
const DEADLINE_MS = 20;
const KEY = 'latchkey:rate:';

const MAX_BATCH = 512;
/** As many as may be under way before each is late. */
const MAX_IN_FLIGHT = 16;

/**
 * The same GCRA as in the domain, as one atomic step on the server's clock for all keys of a batch. Answers for each
 * whether the request is admitted and the microseconds until the bucket is full again. What is stored from before the
 * clock was set back is written anew, also when the request is refused. Numbers are written whole: Lua would round them
 * to 14 digits.
 */
const GCRA = `
  local interval, tolerance = tonumber(ARGV[1]), tonumber(ARGV[2])
  local time = redis.call('TIME')
  local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
  local answers = {}
  for index, key in ipairs(KEYS) do
    local stored = tonumber(redis.call('GET', key) or now)
    local start = math.min(math.max(stored, now), now + tolerance)
    local admitted = start + interval - now <= tolerance
    local tat = admitted and start + interval or start
    if admitted or start < stored then
      redis.call('SET', key, string.format('%.0f', tat), 'PX', math.ceil((tat - now) / 1000))
    end
    answers[2 * index - 1] = admitted and 1 or 0
    answers[2 * index] = tat - now
  end
  return answers`;

type GcraRedis = Redis & { gcra(numberOfKeys: number, ...keysAndArguments: (string | number)[]): Promise<number[]> };

/** Limits shared by all instances. Never fails and never waits long: `local` decides while Redis is away or slow. */
export class RedisRateLimiter extends RateLimiter {
  private readonly redis: GcraRedis;
  /** Validations that come out of one read are charged by one call. */
  private readonly batcher: Batcher<string, RateDecision>;
  private fallbacks = 0;

  constructor(
    url: string,
    private readonly limit: RateLimit,
    private readonly local: RateLimiter,
    log: Log,
    traces = NO_TRACES,
    deadlineMs = DEADLINE_MS,
  ) {
    super();
    this.batcher = new Batcher({
      send: (keyIds) => this.chargeAll(keyIds),
      maxBatch: MAX_BATCH,
      maxInFlight: MAX_IN_FLIGHT,
      patienceMs: deadlineMs,
      name: 'redis gcra',
      traces,
    });
    this.redis = new Redis(url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: deadlineMs,
      connectTimeout: 1000,
      retryStrategy: (attempts) => Math.min(1000, attempts * 50),
    }) as GcraRedis;
    this.redis.defineCommand('gcra', { lua: GCRA });
    const outage = new Outage(log, {
      store: 'Redis',
      meanwhile: 'rate limits go on per process',
      again: 'rate limits are shared again',
    });
    this.redis.on('error', (error: Error) => outage.noticed(error));
    this.redis.on('ready', () => outage.over());
  }

  charge(keyId: string): Promise<RateDecision> {
    return this.batcher.add(keyId);
  }

  instruments(): Instrument[] {
    const up = () => (this.redis.status === 'ready' ? 1 : 0);
    return [
      gauge('latchkey_redis_up', 'Whether Redis is connected (1) or away (0)', up, 'min'),
      counter('latchkey_redis_fallbacks_total', 'Charges that this process decided for itself', () => this.fallbacks),
    ];
  }

  close(): void {
    this.redis.disconnect();
  }

  private async chargeAll(keyIds: readonly string[]): Promise<RateDecision[]> {
    const interval = emissionIntervalMicros(this.limit);
    const keys = keyIds.map((keyId) => KEY + keyId);
    try {
      const answers = await this.redis.gcra(keys.length, ...keys, interval, interval * this.limit.burst);
      return keyIds.map((_, n) => rateDecision(this.limit, answers[2 * n] === 1, answers[2 * n + 1]!));
    } catch {
      this.fallbacks += keyIds.length;
      return Promise.all(keyIds.map((keyId) => this.local.charge(keyId)));
    }
  }
}
