import { Redis } from 'ioredis';
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

/** How long a sentinel may take to name the primary. */
const SENTINEL_TIMEOUT_MS = 500;

/** A single server, or the one that sentinels name. A batch is one call. */
export class RedisServer implements SharedLimits {
  private readonly redis: GcraRedis;
  private readonly batcher: ChargeBatcher;

  constructor(config: RedisServerConfig | RedisSentinelConfig, makeBatcher: MakeBatcher, outage: Outage) {
    this.redis = (config.kind === 'server' ? new Redis(config.url, CONNECTION) : underSentinels(config)) as GcraRedis;
    this.batcher = makeBatcher((charges) => {
      const keys = charges.map(({ keyId }) => storedAs(keyId));
      return charges.some(({ ahead }) => ahead > 0)
        ? this.redis.gcraAhead(keys.length, ...keys, ...charges.flatMap(argumentsAhead))
        : this.redis.gcra(keys.length, ...keys, ...charges.flatMap(scriptArguments));
    });
    this.redis.on('error', (error: Error) => outage.noticed(error));
    this.redis.on('ready', () => outage.over());
  }

  batcherOf(): ChargeBatcher {
    return this.batcher;
  }

  get isUp(): boolean {
    return this.redis.status === 'ready';
  }

  close(): void {
    this.redis.disconnect();
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
