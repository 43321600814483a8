import { LONG_TIMEOUTS, withService } from '../lib/service.mjs';
import { startStandby } from '../lib/standby.mjs';
import { bytesAValidation, sizes } from './costs/bytes.mjs';
import { commitCosts } from './costs/commits.mjs';
import { loadCosts } from './costs/loads.mjs';
import { readCosts } from './costs/reads.mjs';
import { usageCosts, walCosts } from './costs/writes.mjs';

const KEYS = Number(process.env['BENCH_KEYS'] ?? 1_000_000);
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 5);
const IN_FLIGHT = [16, 64, 256].map((concurrency) => ({ concurrency, seconds: SECONDS }));
const PACES = [500, 2000, 4000, 8000].map((perSecond) => ({ perSecond, seconds: SECONDS }));

/** Measures what each part costs, for the model. @param {import('../lib/lab.mjs').Lab} lab */
export async function measure({ database, redisUrl, redisPid }) {
  const databaseUrl = await database(KEYS);
  const begin = (/** @type {string} */ part) => console.log(`Measuring ${part} …`);
  const settings = { databaseUrl, keys: KEYS, env: LONG_TIMEOUTS };
  const withEnv = (/** @type {Record<string, string>} */ env) => ({ ...settings, env: { ...LONG_TIMEOUTS, ...env } });

  begin('the audit trail');
  const wal = await withService(withEnv({ AUDIT_SEAL_KEY: 'ab'.repeat(32) }), (client, service) =>
    walCosts(databaseUrl, service, client),
  );
  begin('the service');
  const own = await withService(settings, async (client, service) => {
    const one = { databaseUrl, services: [service], client };
    const streams = await loadCosts(one, IN_FLIGHT);
    const singleCalls = IN_FLIGHT.map((load) => ({ ...load, way: 'unary' }));
    const unary = await loadCosts(one, singleCalls);
    begin('the usage of keys');
    return { streams, unary, usage: await usageCosts(databaseUrl, service, client) };
  });
  begin('limits in Redis');
  const shared = await withService(withEnv({ REDIS_URL: redisUrl }), async (client, service) => {
    const one = { databaseUrl, services: [service], client, redisPid };
    return { redis: await loadCosts(one, IN_FLIGHT), paced: await loadCosts(one, PACES) };
  });
  begin('bytes');
  const bytes = await bytesAValidation({ ...settings, redisUrl });
  const stored = await sizes(databaseUrl);
  begin('commits');
  const commits = [];
  for (const connections of [1, 16]) commits.push(await commitCosts(databaseUrl, { connections, seconds: SECONDS }));
  const standby = await startStandby(databaseUrl);
  begin('reads');
  const { reads, barrier } = await readCosts(databaseUrl, { keys: KEYS, seconds: 2 * SECONDS });
  await standby.stop();
  return { keys: KEYS, reads, wal, ...own, ...shared, bytes, stored, commits, barrier };
}
