import { keyNumber } from '../lib/keys.mjs';
import { start } from '../lib/process.mjs';
import { startService } from '../lib/service.mjs';
import { compare, ratioRow } from './row.mjs';

const KEYS = Array.from({ length: 8 }, (_, n) => keyNumber(n));
const CALLS_PER_SECOND = 15_000;

/** @param {import('../lib/lab.mjs').Lab} lab @param {import('../run.mjs').Effort} effort */
export async function unary(lab, { runs, seconds }) {
  const databaseUrl = await lab.database(1000);
  const [bare, memory, redis] = await Promise.all([
    start('programs/bare-server.mjs'),
    startService(databaseUrl),
    startService(databaseUrl, { REDIS_URL: lab.redisUrl }),
  ]);
  const calls = CALLS_PER_SECOND * seconds;
  const load = (/** @type {number} */ port) => lab.load.closedLoop({ port, calls, keys: KEYS, streams: 16 });

  const measured = await compare(memory, runs, {
    bare: async () => (await load(bare.hello.port)).perSecond,
    memory: () => grantedPerSecond(memory, load),
    redis: () => grantedPerSecond(redis, load),
  });
  await Promise.all([bare.stop(), memory.stop(), redis.stop()]);
  const sides = (/** @type {'memory' | 'redis'} */ side) => ({
    'ValidateKey/s': measured[side],
    'empty/s': measured.bare,
  });
  return [
    ratioRow('unary ValidateKey, limits in process ÷ empty gRPC call', { atLeast: 0.85 }, sides('memory')),
    ratioRow('unary ValidateKey, limits in Redis ÷ empty gRPC call', { atLeast: 0.7 }, sides('redis')),
  ];
}

/**
 * Counts only the calls that the service itself counted as granted.
 * @param {import('../lib/service.mjs').Service} service
 * @param {(port: number) => Promise<{ succeeded: number, perSecond: number }>} load
 */
async function grantedPerSecond(service, load) {
  const before = await service.grants();
  const { succeeded, perSecond } = await load(service.grpcPort);
  const granted = (await service.grants()) - before;
  return perSecond * Math.min(1, granted / succeeded);
}
