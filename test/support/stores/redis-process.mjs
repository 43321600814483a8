import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startRedis } from './redis.mjs';

/**
 * One of several Redis servers. It can be killed, frozen, and started again on its port.
 * @typedef {{ port: number, kill(): Promise<void>, freeze(): void, thaw(): void, start(): Promise<void>,
 *   cli(...args: string[]): Promise<string> }} RedisProcess
 */

/**
 * @param {string} folder
 * @param {readonly string[]} settings
 * @param {string} [sentinelFile]
 * @returns {Promise<RedisProcess>}
 */
export async function startRedisProcess(folder, settings, sentinelFile) {
  let redis = await startRedis(folder, undefined, settings, sentinelFile);
  const { port } = redis;
  return {
    port,
    async kill() {
      signal(redis.pid, 'SIGKILL');
      await redis.stop();
    },
    freeze: () => signal(redis.pid, 'SIGSTOP'),
    thaw: () => signal(redis.pid, 'SIGCONT'),
    async start() {
      redis = await startRedis(folder, port, settings, sentinelFile);
    },
    cli: (...args) => redisCli('-p', String(port), ...args),
  };
}

/** @param {string[]} args */
export async function redisCli(...args) {
  return (await promisify(execFile)('redis-cli', args, { timeout: 60_000 })).stdout;
}

/**
 * @param {number} pid
 * @param {NodeJS.Signals} what
 */
function signal(pid, what) {
  try {
    process.kill(pid, what);
  } catch {
    // It has ended already.
  }
}
