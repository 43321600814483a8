import { type Cluster, type Redis, ReplyError } from 'ioredis';
import type { RedisConfig } from '../../../config/redis-config.js';
import { emissionIntervalMicros, type RateLimit } from '../../../domain/rate-limit.js';
import type { Outage } from '../../telemetry/outage.js';
import { SCRIPTS, type Scripts } from './gcra-script.js';
import { openRedis } from './open-redis.js';

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

/** The Redis key under which a key's limit is stored. */
const storedAs = (keyId: string) => `latchkey:rate:${keyId}`;
/** A key that nobody has, in the slot of the other one. */
const besides = (stored: string) => storedAs(`probe{${stored}}`);

/** The limits that Redis keeps. */
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
