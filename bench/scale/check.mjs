// The model against runs that it was not fitted to: two instances behind one guard each, limits in Redis, other numbers in
// flight. `node bench/scale/check.mjs`, after measure.mjs; about two minutes, writes results/check.json.
import { cpus } from 'node:os';
import { cpuOf, cpuSeconds, machineCpuSeconds } from '../lib/cpu.mjs';
import { prepare } from '../lib/prepare.mjs';
import { median } from '../lib/statistics.mjs';
import { predict } from './predict.mjs';
import { readResults, writeResults } from './results.mjs';

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 5);
const RUNS = 5;
const IN_FLIGHT = [24, 160];
const INSTANCES = 2;
const PATIENT = { DATABASE_PATIENCE_MS: '10000', LOG_LEVEL: 'error' };

await prepare();
const { openLab } = await import('../lib/lab.mjs');
const { start } = await import('../lib/process.mjs');
const { startService } = await import('../lib/service.mjs');
const { loadCosts } = await import('./costs/loads.mjs');

const costs = readResults('costs');
const lab = await openLab();
const databaseUrl = await lab.database(costs.keys);
const services = [];
for (let n = 0; n < INSTANCES; n += 1) {
  services.push(await startService(databaseUrl, { ...PATIENT, REDIS_URL: lab.redisUrl }));
}
const env = {
  BENCH_TARGET: services.map(({ target }) => target).join(),
  BENCH_KEYS: String(costs.keys),
  BENCH_DEADLINE_MS: '30000',
};
const client = await start('programs/guarded.mjs', { env, isServer: false });
const checks = [];
for (const inFlight of IN_FLIGHT) {
  const runs = [];
  for (let run = 0; run < RUNS; run += 1) runs.push(await measured(inFlight));
  checks.push({ instances: INSTANCES, inFlight, runs: runs.length, ...middle(runs) });
}
await client.stop();
for (const service of services) await service.stop();
await lab.close();
writeResults('check', { checks });
process.exit(0);

/** @param {number} inFlight */
async function measured(inFlight) {
  const pids = { service: services.map(({ pid }) => pid), client: [client.pid], redis: [lab.redisPid] };
  const own = () =>
    Object.values(pids)
      .flat()
      .reduce((sum, pid) => sum + cpuSeconds(pid), 0);
  const began = performance.now();
  const asked = { databaseUrl, services, client, redisPid: lab.redisPid };
  const { spent, answer } = await cpuOf({ machine: machineCpuSeconds, own }, () =>
    loadCosts(asked, [{ concurrency: inFlight, seconds: SECONDS }]),
  );
  const [load] = answer;
  const seconds = (performance.now() - began) / 1000;
  // What PostgreSQL spends on reads belongs to us as well: it is in proportion to what we spend on the rest.
  const { postgres, ...others } = load.micros;
  const ours = spent.own * (1 + postgres / Object.values(others).reduce((sum, each) => sum + each, 0));
  const cores = cpus().length - Math.max(0, spent.machine - ours) / seconds;
  return { measured: load, predicted: predict(costs, { inFlight, instances: INSTANCES, cores }), cores };
}

/** The median of each figure. @param {any[]} runs @returns {any} */
function middle(runs) {
  if (typeof runs[0] === 'number') return median(runs);
  return Object.fromEntries(Object.keys(runs[0]).map((name) => [name, middle(runs.map((run) => run[name]))]));
}
