import { Redis } from 'ioredis';
import { RateLimiter } from '../../application/ports.js';
import { emissionIntervalMicros, rateDecision, type RateDecision, type RateLimit } from '../../domain/rate-limit.js';

/** How long a validation waits for Redis before the limits of this process decide. */
const DEADLINE_MS = 20;
const KEY = 'latchkey:rate:';

/**
 * The same GCRA as in the domain, as one atomic step on the server's clock. Answers whether the request is admitted
 * and the microseconds until the bucket is full again. Numbers are written whole: Lua would round them to 14 digits.
 */
const GCRA = `
  local interval, tolerance = tonumber(ARGV[1]), tonumber(ARGV[2])
  local time = redis.call('TIME')
  local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
  local start = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now)
  if start + interval - now > tolerance then return {0, start - now} end
  local tat = start + interval
  redis.call('SET', KEYS[1], string.format('%.0f', tat), 'PX', math.ceil((tat - now) / 1000))
  return {1, tat - now}`;

type GcraRedis = Redis & { gcra(key: string, interval: number, tolerance: number): Promise<[number, number]> };

/** Limits shared by all instances. Never fails and never waits long: `local` decides while Redis is away or slow. */
export class RedisRateLimiter extends RateLimiter {
  private readonly redis: GcraRedis;

  /** @param onOutage told once when Redis goes away, with the reason, and once when it is back, without */
  constructor(
    url: string,
    private readonly limit: RateLimit,
    private readonly local: RateLimiter,
    private readonly onOutage: (reason?: string) => void,
  ) {
    super();
    this.redis = new Redis(url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: DEADLINE_MS,
      connectTimeout: 1000,
      enableAutoPipelining: true,
      retryStrategy: (attempts) => Math.min(1000, attempts * 50),
    }) as GcraRedis;
    this.redis.defineCommand('gcra', { numberOfKeys: 1, lua: GCRA });
    let isAway = false;
    this.redis.on('error', (error: Error) => {
      if (!isAway) this.onOutage(error.message);
      isAway = true;
    });
    this.redis.on('ready', () => {
      if (isAway) this.onOutage();
      isAway = false;
    });
  }

  async charge(keyId: string): Promise<RateDecision> {
    const interval = emissionIntervalMicros(this.limit);
    try {
      const [admitted, backlog] = await this.redis.gcra(KEY + keyId, interval, interval * this.limit.burst);
      return rateDecision(this.limit, admitted === 1, backlog);
    } catch {
      return this.local.charge(keyId);
    }
  }

  close(): void {
    this.redis.disconnect();
  }
}
