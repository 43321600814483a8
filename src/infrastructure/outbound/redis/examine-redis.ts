import type { ExaminedRedis } from '../../../application/examination.js';
import type { RedisConfig } from '../../../config/redis-config.js';
import { openRedis } from './open-redis.js';

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
