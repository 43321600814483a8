// What the distance to the primary costs: `node bench/scale/regions.mjs`, about four minutes, writes results/regions.json.
import { main } from '../../scripts/lib/stop.mjs';
import { prepare } from '../lib/prepare.mjs';
import { writeResults } from './results.mjs';

const ROUND_TRIPS_MS = [0, 20, 80, 150];
const KEYS = 100_000;
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 5);
const DEFAULTS = { patienceMs: 120, deadlineMs: 200 };
/** Fewer than the guard lets wait. */
const CROWD = 1800;
const PATIENT_MS = 30_000;

await main(prepare);
const { openLab } = await import('../lib/lab.mjs');
const { openLine } = await import('../lib/line.mjs');
const { start } = await import('../lib/process.mjs');
const { startService } = await import('../lib/service.mjs');
const { revocations } = await import('./revocations.mjs');

const lab = await openLab();
const databaseUrl = await lab.database(KEYS);
const near = await startService(databaseUrl, { DATABASE_PATIENCE_MS: String(PATIENT_MS), LOG_LEVEL: 'silent' });
const regions = [];
for (const roundTripMs of ROUND_TRIPS_MS) {
  regions.push(await region(roundTripMs));
  console.log(JSON.stringify(regions.at(-1)));
}
await near.stop();
await lab.close();
writeResults('regions', { keys: KEYS, seconds: SECONDS, regions });
process.exit(0);

/** An instance so far from the primary, with a Redis beside it. @param {number} roundTripMs */
async function region(roundTripMs) {
  const line = await openLine(databaseUrl, roundTripMs);
  const advised = { patienceMs: 120 + roundTripMs, deadlineMs: 200 + 2 * roundTripMs };
  const byDefault = await at(line, DEFAULTS, async (client) =>
    pick(await client.ask({ perSecond: 200, seconds: SECONDS })),
  );
  const asAdvised = await at(line, advised, async (client, service) => ({
    startMs: service.startMs,
    calm: pick(await client.ask({ perSecond: 200, seconds: SECONDS })),
    busy: pick(await client.ask({ perSecond: 2000, seconds: SECONDS })),
    denied: pick(await client.ask({ perSecond: 20, seconds: SECONDS, unknown: true })),
  }));
  const patient = { patienceMs: PATIENT_MS, deadlineMs: PATIENT_MS };
  const crowded = await at(line, patient, async (client, service) => ({
    crowd: pick(await client.ask({ concurrency: CROWD, seconds: SECONDS })),
    revoked: await revocations({ databaseUrl, revokeAt: service, askAt: [service, near] }),
  }));
  await line.stop();
  return { roundTripMs, ...advised, byDefault, ...asAdvised, ...crowded };
}

/**
 * @template T
 * @param {{ url: string }} line @param {{ patienceMs: number, deadlineMs: number }} settings
 * @param {(client: any, service: any) => Promise<T>} work
 */
async function at(line, { patienceMs, deadlineMs }, work) {
  const patience = { DATABASE_PATIENCE_MS: String(patienceMs), LOG_LEVEL: 'silent' };
  const service = await startService(line.url, { ...patience, REDIS_URL: lab.redisUrl });
  const env = { BENCH_TARGET: service.target, BENCH_KEYS: String(KEYS), BENCH_DEADLINE_MS: String(deadlineMs) };
  const client = await start('programs/guarded.mjs', { env, isServer: false });
  await client.ask({ concurrency: 32, seconds: 2 });
  const done = await work(client, service);
  await client.stop();
  await service.stop();
  return done;
}

/** @param {any} answer */
function pick({ perSecond, calls, granted, refused, failed, p50, p99 }) {
  return { perSecond, calls, granted, refused, failed, p50, p99 };
}
