import { LONG_TIMEOUTS, startClient, startService } from '../lib/service.mjs';
import { median } from '../lib/statistics.mjs';
import { loadCosts } from './costs/loads.mjs';

const KEYS = Number(process.env['BENCH_KEYS'] ?? 1_000_000);
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 3);
const RUNS = 5;
const PACED = [500, 2000, 4000].map((perSecond) => ({ perSecond, seconds: SECONDS }));
const CROWDED = [32, 128, 512].map((concurrency) => ({ concurrency, seconds: SECONDS }));
const SHAPES = [{ perSecond: 2400 }, { inFlight: 120 }, { inFlight: 500 }];

/**
 * Checks the model with runs that it was not fitted to. From the costs of one instance, the model predicts two
 * instances that share PostgreSQL and Redis, at other rates and with other numbers of calls in flight. Both are
 * measured in turns, because a machine's speed changes with its neighbours.
 * @param {import('../lib/lab.mjs').Lab} lab
 */
export async function measure({ database, redisUrl, redisPid }) {
  const databaseUrl = await database(KEYS);
  const services = [];
  for (const _ of [1, 2]) services.push(await startService(databaseUrl, { ...LONG_TIMEOUTS, REDIS_URL: redisUrl }));
  const withClient = async (some) => ({ databaseUrl, redisPid, services: some, client: await startClient(some, KEYS) });
  const [one, two] = [await withClient(services.slice(0, 1)), await withClient(services)];
  const costs = [];
  const runs = SHAPES.map(() => []);
  for (let run = 0; run < RUNS; run += 1) {
    costs.push({ paced: await loadCosts(one, PACED), crowded: await loadCosts(one, CROWDED) });
    for (const [n, { perSecond, inFlight }] of SHAPES.entries()) {
      const load = perSecond ? { perSecond } : { concurrency: inFlight };
      runs[n].push(...(await loadCosts(two, [{ ...load, seconds: SECONDS }])));
    }
  }
  for (const each of [one.client, two.client, ...services]) await each.stop();
  const checks = SHAPES.map((shape, n) => ({ ...shape, instances: services.length, measured: middle(runs[n]) }));
  return { keys: KEYS, runs: RUNS, seconds: SECONDS, ...middle(costs), checks };
}

/** The median of each figure. @param {any[]} all @returns {any} */
function middle(all) {
  if (typeof all[0] === 'number') return median(all);
  const each = Object.keys(all[0]).map((name) => [name, middle(all.map((run) => run[name]))]);
  return Array.isArray(all[0]) ? each.map(([, value]) => value) : Object.fromEntries(each);
}
