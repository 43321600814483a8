import { openLine } from '../lib/line.mjs';
import { startClient, startService, withService } from '../lib/service.mjs';
import { startStandby } from '../lib/standby.mjs';
import { commitCosts } from './costs/commits.mjs';
import { loadCosts } from './costs/loads.mjs';
import { readCosts } from './costs/reads.mjs';
import { sizes } from './costs/sizes.mjs';
import { usageCosts } from './costs/usage.mjs';
import { walCosts } from './costs/wal.mjs';

const KEYS = Number(process.env['BENCH_KEYS'] ?? 1_000_000);
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 5);
const IN_FLIGHT = [16, 64, 256].map((concurrency) => ({ concurrency, seconds: SECONDS }));
const PACES = [500, 2000, 4000, 8000].map((perSecond) => ({ perSecond, seconds: SECONDS }));
/**
 * On a machine with busy neighbours, the service must not time out a read: it would replace the PostgreSQL process that
 * is being measured.
 */
const LONG_TIMEOUTS = { DATABASE_PATIENCE_MS: '10000', LOG_LEVEL: 'error' };

/** Measures what each part costs, for the model. @param {import('../lib/lab.mjs').Lab} lab */
export async function measure({ database, redisUrl, redisPid }) {
  const databaseUrl = await database(KEYS);
  const say = (/** @type {string} */ part) => console.log(`Measuring ${part} …`);
  const asked = (/** @type {Record<string, string>} */ env) => ({
    databaseUrl,
    keys: KEYS,
    env: { ...LONG_TIMEOUTS, ...env },
  });

  say('the record');
  const wal = await withService(asked({ AUDIT_SEAL_KEY: 'ab'.repeat(32) }), (client, service) =>
    walCosts(databaseUrl, service, client),
  );
  say('the service');
  const own = await withService(asked({}), async (client, service) => {
    const one = { databaseUrl, services: [service], client };
    const streams = await loadCosts(one, IN_FLIGHT);
    const unary = await loadCosts(
      one,
      IN_FLIGHT.map((load) => ({ ...load, way: 'unary' })),
    );
    say('what keys did');
    return { streams, unary, usage: await usageCosts(databaseUrl, service, client) };
  });
  say('limits in Redis');
  const shared = await withService(asked({ REDIS_URL: redisUrl }), async (client, service) => {
    const one = { databaseUrl, services: [service], client, redisPid };
    return { redis: await loadCosts(one, IN_FLIGHT), paced: await loadCosts(one, PACES) };
  });
  say('bytes');
  const bytes = await bytesAValidation(databaseUrl, redisUrl);
  const stored = await sizes(databaseUrl);
  say('commits');
  const commits = [];
  for (const connections of [1, 16]) commits.push(await commitCosts(databaseUrl, { connections, seconds: SECONDS }));
  const standby = await startStandby(databaseUrl);
  say('reads');
  const { reads, barrier } = await readCosts(databaseUrl, { keys: KEYS, seconds: 2 * SECONDS });
  await standby.stop();
  return { keys: KEYS, reads, wal, ...own, ...shared, bytes, stored, commits, barrier };
}

/**
 * Counts the bytes on each of a service's lines, in both directions, with 32 questions in flight.
 * @param {string} databaseUrl @param {string} redisUrl
 */
async function bytesAValidation(databaseUrl, redisUrl) {
  const [postgres, redis] = [await openLine(databaseUrl), await openLine(redisUrl)];
  const service = await startService(postgres.url, { ...LONG_TIMEOUTS, REDIS_URL: redis.url });
  const guard = await openLine(`http://${service.target}`);
  const client = await startClient([guard], KEYS);
  const lines = Object.entries({ guard, postgres, redis });
  const counted = () => Promise.all(lines.map(([, line]) => line.countedBytes()));
  await client.ask({ concurrency: 32, seconds: 1 });
  const before = await counted();
  const { calls } = await client.ask({ concurrency: 32, seconds: 2 });
  const after = await counted();
  await client.stop();
  await service.stop();
  for (const [, line] of lines) await line.stop();
  return Object.fromEntries(lines.map(([name], n) => [name, (after[n] - before[n]) / calls]));
}
