import { type Cluster, type Redis, ReplyError } from 'ioredis';
import type { RedisConfig } from '#config/redis-config.js';
import { emissionIntervalMicros, type RateLimit } from '#domain/rate-limit.js';
import type { Outage } from '#infrastructure/telemetry/outage.js';
import { openRedis } from './open-redis.js';

/** Charges the uses of a lease as well, as `chargeAhead` of the domain does. Most calls want none, and pay nothing for it. */
const AHEAD = `
    if admitted then
      uses = math.max(0, math.min(tonumber(ARGV[first + 2]), math.floor(math.floor((now + tolerance - tat) / interval) / 2)))
      full = tat + uses * interval
    end`;

/**
 * The GCRA of the domain, as one atomic step on the server's clock for all keys of a call, each with its own interval and
 * tolerance. Returns what `SharedLimits.charge` does. Stored is `tat.interval`. Instances before 0.3 store `tat` alone, and read
 * `tat.interval` as a number that is less than a microsecond off. After the server's clock was set back, or the key's
 * rate was changed, a stored time is corrected even if the request is refused. Numbers are formatted as integers, because
 * Lua would round them to 14 digits.
 */
const gcra = (argumentsEach: number, ahead: string) => `
  local time = redis.call('TIME')
  local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
  local answers = {}
  for index, key in ipairs(KEYS) do
    local first = ${argumentsEach} * (index - 1) + 1
    local interval, tolerance = tonumber(ARGV[first]), tonumber(ARGV[first + 1])
    local storedTat, storedInterval = string.match(redis.call('GET', key) or '', '^(%d+)%.?(%d*)$')
    local stored = tonumber(storedTat) or now
    local charged = tonumber(storedInterval) or interval
    if charged ~= interval and stored > now then
      stored = now + math.ceil((stored - now) / charged * interval)
    end
    local start = math.min(math.max(stored, now), now + tolerance)
    local admitted = start + interval - now <= tolerance
    local tat = admitted and start + interval or start
    local full, uses = tat, 0${ahead}
    if admitted or start < stored or charged ~= interval then
      redis.call('SET', key, string.format('%.0f.%.0f', full, interval), 'PX', math.ceil((full - now) / 1000))
    end
    answers[2 * index - 1] = admitted and 1 + uses or 0
    answers[2 * index] = tat - now
  end
  return answers`;

const SCRIPTS = { gcra: { lua: gcra(2, '') }, gcraAhead: { lua: gcra(3, AHEAD) } };

type Gcra = (numberOfKeys: number, ...keysAndArguments: (string | number)[]) => Promise<number[]>;
/** What a connection that knows the scripts can do. */
export type Scripts = { readonly [Script in keyof typeof SCRIPTS]: Gcra };

/** One request of a key. */
export interface Charge {
  readonly keyId: string;
  readonly limit: RateLimit;
  /** How many uses of a lease to charge with it. */
  readonly ahead: number;
}

/** While it refuses. */
const PROBE_EVERY_MS = 1000;

/** A connection that does not answer for a second is dropped, and its waiting calls fail. */
const CONNECTION = {
  connectTimeout: 1000,
  // TCP's: load balancers and firewalls forget a connection without traffic.
  keepAlive: 20_000,
  socketTimeout: 1000,
  // The server has become a replica. After reconnecting, its host name or its sentinels lead to the new primary.
  reconnectOnError: ({ message }: Error) => message.includes('READONLY'),
};

const storedAs = (keyId: string) => `latchkey:rate:${keyId}`;
/** A key that nobody has, in the slot of the other one. */
const besides = (stored: string) => storedAs(`probe{${stored}}`);

export class SharedLimits {
  private readonly redis: (Redis | Cluster) & Scripts;
  private readonly isCluster: boolean;
  /** A stored key that could not be charged: Redis lacks a right or memory, became a replica, or lost a part of a cluster. */
  private refused: string | undefined;
  private readonly timer: NodeJS.Timeout;

  constructor(
    config: RedisConfig,
    private readonly outage: Outage,
  ) {
    this.isCluster = config.kind === 'cluster';
    this.redis = openRedis(config, CONNECTION) as (Redis | Cluster) & Scripts;
    for (const [name, script] of Object.entries(SCRIPTS)) this.redis.defineCommand(name, script);
    this.redis.on('error', (error: Error & { lastNodeError?: Error }) => outage.noticed(error.lastNodeError ?? error));
    this.redis.on('ready', () => void this.probe(this.refused ?? storedAs('')));
    this.timer = setInterval(() => {
      if (this.refused !== undefined && this.redis.status === 'ready') void this.probe(this.refused);
    }, PROBE_EVERY_MS).unref();
  }

  /** In a cluster, one call can only charge keys of the same slot. */
  get areChargedTogether(): boolean {
    return !this.isCluster;
  }

  get isUp(): boolean {
    return this.redis.status === 'ready' && this.refused === undefined;
  }

  /**
   * Charges keys in one call. Returns two numbers for each: 0 if it is refused, or 1 more than the uses that were charged
   * ahead; and the microseconds until the bucket is full again, without these uses.
   */
  async charge(charges: readonly Charge[]): Promise<readonly number[]> {
    if (this.redis.status !== 'ready') throw new Error('Redis is not connected');
    const stored = charges.map(({ keyId }) => storedAs(keyId));
    const leased = charges.some(({ ahead }) => ahead > 0);
    const each = charges.flatMap(({ limit, ahead }) => {
      const intervalMicros = emissionIntervalMicros(limit);
      const rate = [intervalMicros, intervalMicros * limit.burst];
      return leased ? [...rate, ahead] : rate;
    });
    try {
      return await this.redis[leased ? 'gcraAhead' : 'gcra'](stored.length, ...stored, ...each);
    } catch (error) {
      return this.failed(stored[0]!, error);
    }
  }

  close(): void {
    clearInterval(this.timer);
    this.redis.disconnect();
  }

  /** Charges with all that a charge needs. */
  private async probe(stored: string): Promise<void> {
    try {
      await this.redis.gcra(1, besides(stored), 1, 1);
      this.refused = undefined;
      this.outage.over();
    } catch (error) {
      await this.failed(stored, error).catch(() => undefined);
    }
  }

  /** A lost connection to a server reports itself. In a cluster, only the keys of that node fail. */
  private async failed(stored: string, error: unknown): Promise<never> {
    if (this.isCluster || error instanceof ReplyError) {
      this.refused = stored;
      this.outage.noticed(error);
    }
    throw error;
  }
}
