import { Redis, ReplyError } from 'ioredis';
import type { RedisSentinelConfig, RedisServerConfig } from '../../../config/redis-config.js';
import type { Outage } from '../../telemetry/outage.js';
import { CONNECTION, type GcraRedis } from './gcra-script.js';
import {
  argumentsAhead,
  scriptArguments,
  storedAs,
  type ChargeBatcher,
  type MakeBatcher,
  type SharedLimits,
} from './shared-limits.js';

/** While it refuses. */
const PROBE_EVERY_MS = 1000;
/** How long a sentinel may take to name the primary. */
const SENTINEL_TIMEOUT_MS = 500;

/** A single server, or the one that sentinels name. A batch is one call. */
export class RedisServer implements SharedLimits {
  private readonly redis: GcraRedis;
  private readonly batcher: ChargeBatcher;

  /** Whether it answers charges with errors: it lacks a right or memory, or became a replica. */
  private isRefusing = false;
  private readonly timer: NodeJS.Timeout;

  constructor(
    config: RedisServerConfig | RedisSentinelConfig,
    makeBatcher: MakeBatcher,
    private readonly outage: Outage,
  ) {
    this.redis = (config.kind === 'server' ? new Redis(config.url, CONNECTION) : underSentinels(config)) as GcraRedis;
    this.batcher = makeBatcher((charges) => {
      const keys = charges.map(({ keyId }) => storedAs(keyId));
      const answer = charges.some(({ ahead }) => ahead > 0)
        ? this.redis.gcraAhead(keys.length, ...keys, ...charges.flatMap(argumentsAhead))
        : this.redis.gcra(keys.length, ...keys, ...charges.flatMap(scriptArguments));
      return answer.catch((error: unknown) => this.refused(error));
    });
    this.redis.on('error', (error: Error) => outage.noticed(error));
    this.redis.on('ready', () => void this.probe());
    this.timer = setInterval(() => this.isRefusing && void this.probe(), PROBE_EVERY_MS).unref();
  }

  batcherOf(): ChargeBatcher {
    return this.batcher;
  }

  get isUp(): boolean {
    return this.redis.status === 'ready' && !this.isRefusing;
  }

  close(): void {
    clearInterval(this.timer);
    this.redis.disconnect();
  }

  /** Charges a key that nobody has, with all that a charge needs. */
  private async probe(): Promise<void> {
    try {
      await this.redis.gcra(1, storedAs('probe'), 1, 1);
      this.isRefusing = false;
      this.outage.over();
    } catch (error) {
      await this.refused(error).catch(() => undefined);
    }
  }

  /** A connection that is lost reports that itself. */
  private async refused(error: unknown): Promise<never> {
    if (error instanceof ReplyError) {
      this.isRefusing = true;
      this.outage.noticed(error);
    }
    throw error;
  }
}

function underSentinels(config: RedisSentinelConfig): Redis {
  const { username, password, sentinels, name, sentinelUsername, sentinelPassword, tls } = config;
  return new Redis({
    ...CONNECTION,
    sentinels: sentinels.map((sentinel) => ({ ...sentinel })),
    name,
    username,
    password,
    sentinelUsername,
    sentinelPassword,
    sentinelCommandTimeout: SENTINEL_TIMEOUT_MS,
    sentinelRetryStrategy: CONNECTION.retryStrategy,
    // No failoverDetector: when it hears of a failover while ioredis is connecting, ioredis never connects again. A
    // replaced primary is noticed without it, because it closes its connections, refuses to write or does not answer.
    ...(tls && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
  });
}
