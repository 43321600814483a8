// What each part costs, for the model: `node bench/scale/measure.mjs`, about four minutes, writes results/costs.json.
import { writeResults } from './results.mjs';
import { main } from '../../scripts/lib/stop.mjs';
import { prepare } from '../lib/prepare.mjs';

const KEYS = Number(process.env['BENCH_KEYS'] ?? 1_000_000);
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 5);
const IN_FLIGHT = [16, 64, 256];
const PACES = [500, 2000, 4000, 8000];
/** A machine whose neighbours are busy must not make the service give a read up: it would lose the process that is measured. */
const PATIENT = { DATABASE_PATIENCE_MS: '10000', LOG_LEVEL: 'error' };

await main(prepare);
const { openLab } = await import('../lib/lab.mjs');
const { openLine } = await import('../lib/line.mjs');
const { start } = await import('../lib/process.mjs');
const { startService } = await import('../lib/service.mjs');
const { startStandby } = await import('../lib/standby.mjs');
const { commitCosts } = await import('./costs/commits.mjs');
const { loadCosts } = await import('./costs/loads.mjs');
const { readCosts } = await import('./costs/reads.mjs');
const { sizes } = await import('./costs/sizes.mjs');
const { usageCosts } = await import('./costs/usage.mjs');
const { walCosts } = await import('./costs/wal.mjs');

const lab = await openLab();
const databaseUrl = await lab.database(KEYS);
const loads = (/** @type {number[]} */ inFlight) => inFlight.map((concurrency) => ({ concurrency, seconds: SECONDS }));
const say = (/** @type {string} */ part) => console.log(`Measuring ${part} …`);
const guarded = (/** @type {string} */ target) => {
  const env = { BENCH_TARGET: target, BENCH_KEYS: String(KEYS), BENCH_DEADLINE_MS: '30000' };
  return start('programs/guarded.mjs', { env, isServer: false });
};

say('the record');
const wal = await withService({ AUDIT_SEAL_KEY: 'ab'.repeat(32) }, (service, client) =>
  walCosts(databaseUrl, service, client),
);
say('the service');
const costs = await withService({}, async (service, client) => {
  const unary = await start('programs/client.mjs', {
    env: { BENCH_TARGET: service.target, BENCH_KEYS: String(KEYS) },
    isServer: false,
  });
  const asked = { databaseUrl, services: [service], client };
  const streams = await loadCosts(asked, loads(IN_FLIGHT));
  const singly = await loadCosts(
    { ...asked, client: unary },
    loads(IN_FLIGHT).map((load) => ({ ...load, way: 'unary' })),
  );
  await unary.stop();
  say('what keys did');
  const usage = await usageCosts(databaseUrl, service, client);
  return { streams, unary: singly, usage };
});
say('limits in Redis');
const { redis, paced } = await withService({ REDIS_URL: lab.redisUrl }, async (service, client) => {
  const asked = { databaseUrl, services: [service], client, redisPid: lab.redisPid };
  return {
    redis: await loadCosts(asked, loads(IN_FLIGHT)),
    paced: await loadCosts(
      asked,
      PACES.map((perSecond) => ({ perSecond, seconds: SECONDS })),
    ),
  };
});
say('bytes');
const bytes = await bytesAValidation();
const stored = await sizes(databaseUrl);
say('commits');
const commits = [];
for (const connections of [1, 16]) commits.push(await commitCosts(databaseUrl, { connections, seconds: SECONDS }));
const standby = await startStandby(databaseUrl);
say('reads');
const { reads, barrier } = await readCosts(databaseUrl, { keys: KEYS, seconds: 2 * SECONDS });
await standby.stop();
await lab.close();
writeResults('costs', { keys: KEYS, reads, wal, ...costs, redis, paced, bytes, stored, commits, barrier });
process.exit(0);

/**
 * @template T
 * @param {Record<string, string>} env
 * @param {(service: any, client: any) => Promise<T>} work
 */
async function withService(env, work) {
  const service = await startService(databaseUrl, { ...PATIENT, ...env });
  const client = await guarded(service.target);
  const done = await work(service, client);
  await client.stop();
  await service.stop();
  return done;
}

/** On each line of a service, both ways, with 32 questions in flight. */
async function bytesAValidation() {
  const lines = { postgres: await openLine(databaseUrl), redis: await openLine(lab.redisUrl) };
  const service = await startService(lines.postgres.url, { ...PATIENT, REDIS_URL: lines.redis.url });
  const guardLine = await openLine(service.url.replace(/\d+$/, String(service.grpcPort)));
  const client = await guarded(guardLine.target);
  const all = { guard: guardLine, ...lines };
  await client.ask({ concurrency: 32, seconds: 1 });
  const counted = async () => Promise.all(Object.values(all).map((line) => line.counted()));
  const before = await counted();
  const { calls } = await client.ask({ concurrency: 32, seconds: 2 });
  const after = await counted();
  const each = Object.keys(all).map((name, n) => {
    const total = (/** @type {any} */ count) => count.questionBytes + count.answerBytes;
    return [name, (total(after[n]) - total(before[n])) / calls];
  });
  await client.stop();
  await service.stop();
  await Promise.all(Object.values(all).map((line) => line.stop()));
  return Object.fromEntries(each);
}
