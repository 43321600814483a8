import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createDatabase } from '../support/stores/databases.mjs';
import { startRedis } from '../support/stores/redis.mjs';
import { sql } from '../support/stores/sql.js';
import { OwnPostgres } from './own-postgres.js';

/** The instances on which a history is played, and the faults that happen to them. */
export interface Ground {
  readonly env: Record<string, string>;
  /** Causes the fault once; resolves when it is over. */
  fault?(): Promise<void>;
  leave(): Promise<void>;
}

const OUTAGE_MS = 300;

export async function calm(): Promise<Ground> {
  const { url, drop } = await createDatabase();
  return { env: { DATABASE_URL: url }, leave: drop };
}

export async function connectionsCut(): Promise<Ground> {
  const ground = await calm();
  const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'latchkey%' AND random() < 0.5`;
  return { ...ground, fault: async () => void (await sql(ground.env['DATABASE_URL']!, cut)) };
}

export async function postgresKilled(): Promise<Ground> {
  const postgres = await OwnPostgres.start();
  const fault = async () => {
    await postgres.kill();
    await postgres.startAgain();
  };
  return { env: { DATABASE_URL: postgres.url }, fault, leave: () => postgres.remove() };
}

export async function postgresPaused(): Promise<Ground> {
  const postgres = await OwnPostgres.start();
  const fault = async () => {
    postgres.pause();
    await pause(OUTAGE_MS);
    postgres.resume();
  };
  return { env: { DATABASE_URL: postgres.url, DATABASE_PATIENCE_MS: '120' }, fault, leave: () => postgres.remove() };
}

export function redisKilled(): Promise<Ground> {
  return withRedis(async (redis, folder) => {
    process.kill(redis.pid, 'SIGKILL');
    await redis.stop();
    await pause(OUTAGE_MS);
    return startRedis(folder, redis.port);
  });
}

export function redisPaused(): Promise<Ground> {
  return withRedis(async (redis) => {
    process.kill(redis.pid, 'SIGSTOP');
    await pause(OUTAGE_MS);
    process.kill(redis.pid, 'SIGCONT');
    return redis;
  });
}

type Redis = Awaited<ReturnType<typeof startRedis>>;

async function withRedis(fault: (redis: Redis, folder: string) => Promise<Redis>): Promise<Ground> {
  const { env, leave } = await calm();
  const folder = mkdtempSync(join(tmpdir(), 'history-redis-'));
  let redis = await startRedis(folder);
  return {
    env: { ...env, REDIS_URL: redis.url },
    fault: async () => void (redis = await fault(redis, folder)),
    leave: async () => {
      await redis.stop();
      await leave();
    },
  };
}
