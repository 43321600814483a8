// The model against runs that it was not fitted to: what one instance costs foretells two instances that share PostgreSQL and
// Redis, at another pace and with other numbers in flight. Both in turns, for a machine's speed changes with its neighbours.
// `node bench/scale/check.mjs`, about five minutes, writes results/check.json.
import { main } from '../../scripts/lib/stop.mjs';
import { prepare } from '../lib/prepare.mjs';
import { median } from '../lib/statistics.mjs';
import { writeResults } from './results.mjs';

const KEYS = Number(process.env['BENCH_KEYS'] ?? 1_000_000);
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 3);
const RUNS = 5;
const fitted = {
  paced: [500, 2000, 4000].map((perSecond) => ({ perSecond, seconds: SECONDS })),
  crowded: [32, 128, 512].map((concurrency) => ({ concurrency, seconds: SECONDS })),
};
const SHAPES = [{ perSecond: 2400 }, { inFlight: 120 }, { inFlight: 500 }];
const PATIENT = { DATABASE_PATIENCE_MS: '10000', LOG_LEVEL: 'error' };

await main(prepare);
const { openLab } = await import('../lib/lab.mjs');
const { start } = await import('../lib/process.mjs');
const { startService } = await import('../lib/service.mjs');
const { loadCosts } = await import('./costs/loads.mjs');

const lab = await openLab();
const databaseUrl = await lab.database(KEYS);
const services = [];
for (const _ of [1, 2]) services.push(await startService(databaseUrl, { ...PATIENT, REDIS_URL: lab.redisUrl }));
const one = await guarding(services.slice(0, 1));
const two = await guarding(services);
const costs = [];
/** @type {any[][]} */
const runs = SHAPES.map(() => []);
for (let run = 0; run < RUNS; run += 1) {
  costs.push({ paced: await loadCosts(one, fitted.paced), crowded: await loadCosts(one, fitted.crowded) });
  for (const [n, shape] of SHAPES.entries()) runs[n].push(await measured(shape));
}
await Promise.all([one.client.stop(), two.client.stop()]);
for (const service of services) await service.stop();
await lab.close();
const checks = SHAPES.map((shape, n) => ({ ...shape, instances: services.length, measured: middle(runs[n]) }));
writeResults('check', { keys: KEYS, runs: RUNS, seconds: SECONDS, ...middle(costs), checks });
process.exit(0);

/** @param {any[]} asked */
async function guarding(asked) {
  const env = {
    BENCH_TARGET: asked.map(({ target }) => target).join(),
    BENCH_KEYS: String(KEYS),
    BENCH_DEADLINE_MS: '30000',
  };
  const client = await start('programs/guarded.mjs', { env, isServer: false });
  return { databaseUrl, services: asked, client, redisPid: lab.redisPid };
}

/** @param {{ perSecond?: number, inFlight?: number }} shape of the load of both */
async function measured({ perSecond, inFlight }) {
  const load = perSecond ? { perSecond } : { concurrency: inFlight };
  const [cost] = await loadCosts(two, [{ ...load, seconds: SECONDS }]);
  return cost;
}

/** The median of each figure. @param {any[]} all @returns {any} */
function middle(all) {
  if (typeof all[0] === 'number') return median(all);
  const each = Object.keys(all[0]).map((name) => [name, middle(all.map((run) => run[name]))]);
  return Array.isArray(all[0]) ? each.map(([, value]) => value) : Object.fromEntries(each);
}
