import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { RedisConfig } from '#config/redis-config.js';
import type { ExaminedRedis } from '#application/examination.js';

/** How long a sentinel may take to name the primary, and a node of a cluster to say which node has which slots. */
const SENTINEL_TIMEOUT_MS = 500;
const SLOTS_TIMEOUT_MS = 250;
/**
 * With TLS, and longer than connecting may take: when ioredis ends a connection during its TLS handshake, an error that
 * it does not catch may follow. So in a cluster all connections get the time that ioredis gives its own.
 */
const TLS_SENTINEL_TIMEOUT_MS = 3000;
const TLS_CONNECT_TIMEOUT_MS = 10_000;
const TLS_SLOTS_TIMEOUT_MS = 12_000;

const retryAfterMs = (attempts: number) => Math.min(250, attempts * 50);

type Options = Pick<
  RedisOptions,
  'commandTimeout' | 'connectTimeout' | 'enableOfflineQueue' | 'keepAlive' | 'reconnectOnError' | 'socketTimeout'
>;

/**
 * A single server, the one that sentinels name, or a cluster. Without a connection, a call to a server fails at once. In
 * a cluster, a call waits for the connection to its node, and for the first answer about the slots.
 */
export function openRedis(config: RedisConfig, given: Options): Redis | Cluster {
  const options = { enableOfflineQueue: false, maxRetriesPerRequest: 0, retryStrategy: retryAfterMs, ...given };
  if (config.kind === 'server') return new Redis(config.url, options);
  const { username, password, tls } = config;
  const login = { ...options, username, password, ...(tls && { tls: {} }) };
  if (config.kind === 'cluster') {
    return new Cluster([...config.nodes], {
      redisOptions: { ...login, ...(tls && { connectTimeout: TLS_CONNECT_TIMEOUT_MS, disconnectTimeout: 1 }) },
      clusterRetryStrategy: options.retryStrategy,
      slotsRefreshTimeout: tls ? TLS_SLOTS_TIMEOUT_MS : SLOTS_TIMEOUT_MS,
      // The caller does not wait for another try. Only a slot that has moved is followed.
      retryDelayOnFailover: 0,
      retryDelayOnClusterDown: 0,
      // Names stay names: TLS compares them with the certificate.
      dnsLookup: (host, done) => done(null, host),
    });
  }
  const { sentinels, name, sentinelUsername, sentinelPassword } = config;
  return new Redis({
    ...login,
    sentinels: [...sentinels],
    name,
    sentinelUsername,
    sentinelPassword,
    sentinelCommandTimeout: tls ? TLS_SENTINEL_TIMEOUT_MS : SENTINEL_TIMEOUT_MS,
    sentinelRetryStrategy: options.retryStrategy,
    // No failoverDetector: when it hears of a failover while ioredis is connecting, ioredis never connects again. A
    // replaced primary is noticed without it, because it closes its connections, refuses to write or does not answer.
    ...(tls && { sentinelTLS: {}, enableTLSForSentinelMode: true }),
  });
}

const TIMEOUT_MS = 2000;

/** Rejects with the first error of the connection. */
export async function examineRedis(config: RedisConfig): Promise<ExaminedRedis> {
  const redis = openRedis(config, {
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    enableOfflineQueue: true,
  });
  try {
    const failed = new Promise<never>((_, reject) => redis.on('error', reject));
    const sentAt = Date.now();
    const [[seconds = 0, micros = 0], info] = await Promise.race([
      Promise.all([redis.time(), redis.info('server')]),
      failed,
    ]);
    const clockAheadMs = Number(seconds) * 1000 + Number(micros) / 1000 - (sentAt + Date.now()) / 2;
    return { version: /^redis_version:(\S+)/m.exec(info)?.[1] ?? 'unknown', clockAheadMs };
  } finally {
    redis.disconnect();
  }
}
