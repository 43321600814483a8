import { revoker } from '../lib/revocations.mjs';
import { insertDoomed } from '../lib/seed.mjs';
import { openLine, startService, withService } from '../lib/service.mjs';
import { sum, summary } from '../lib/statistics.mjs';

export const ROUND_TRIPS_MS = [0, 20, 80, 150];
const KEYS = 100_000;
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 5);
/** Fewer than the guard lets wait. */
const CROWD = 1800;
const LONG_TIMEOUT_MS = 30_000;
const REVOKED = 15;

/** Measures the cost of distance to the primary. @param {import('../lib/lab.mjs').Lab} lab */
export async function measure(lab) {
  const databaseUrl = await lab.database(KEYS);
  const near = await startService(databaseUrl, { DATABASE_PATIENCE_MS: String(LONG_TIMEOUT_MS), LOG_LEVEL: 'silent' });
  const regions = [];
  for (const roundTripMs of ROUND_TRIPS_MS) {
    regions.push(await region({ databaseUrl, redisUrl: lab.redisUrl, near, roundTripMs }));
  }
  await near.stop();
  return { keys: KEYS, seconds: SECONDS, regions };
}

/** Measures an instance at this distance from the primary, with a Redis nearby. `near` is an instance at the primary. */
async function region({ databaseUrl, redisUrl, near, roundTripMs }) {
  const line = await openLine(databaseUrl, roundTripMs);
  /** @type {<T>(timeoutMs: number, deadlineMs: number, work: (send: any, service: any) => Promise<T>) => Promise<T>} */
  const at = (timeoutMs, deadlineMs, work) => {
    const env = { DATABASE_PATIENCE_MS: String(timeoutMs), LOG_LEVEL: 'silent', REDIS_URL: redisUrl };
    return withService({ databaseUrl: line.url, keys: KEYS, env, deadlineMs }, async (client, service) => {
      await client.send({ concurrency: 32, seconds: 2 });
      return work((/** @type {object} */ load) => client.send({ ...load, seconds: SECONDS }), service);
    });
  };
  const advised = { timeoutMs: 120 + roundTripMs, deadlineMs: 200 + 2 * roundTripMs };
  const byDefault = await at(120, 200, (send) => send({ perSecond: 200 }));
  const asAdvised = await at(advised.timeoutMs, advised.deadlineMs, async (send, service) => ({
    startMs: service.startMs,
    calm: await send({ perSecond: 200 }),
    busy: await send({ perSecond: 2000 }),
    denied: await send({ perSecond: 20, unknown: true }),
  }));
  const crowded = await at(LONG_TIMEOUT_MS, LONG_TIMEOUT_MS, async (send, service) => ({
    crowd: await send({ concurrency: CROWD }),
    revoked: await revocations(databaseUrl, service.url, [service, near]),
  }));
  await line.stop();
  return { roundTripMs, ...advised, byDefault, ...asAdvised, ...crowded };
}

/** @param {string} databaseUrl @param {string} url @param {readonly { target: string }[]} validators */
async function revocations(databaseUrl, url, validators) {
  const { revokeOne, close } = await revoker(url, validators);
  const revoked = [];
  for (const key of await insertDoomed(databaseUrl, REVOKED)) revoked.push(await revokeOne(key));
  close();
  const refused = revoked.find(({ status }) => status !== 200);
  if (refused) throw new Error(`revoke: ${refused.status}`);
  return {
    keys: REVOKED,
    grantsBefore: sum(revoked.map(({ before }) => before.granted)),
    grantsAfter: sum(revoked.map(({ after }) => after.granted)),
    refusedAfter: sum(revoked.map(({ after }) => after.refused)),
    failed: sum(revoked.map(({ after }) => after.failed)),
    latencyMs: summary(revoked.map(({ latencyMs }) => latencyMs)),
  };
}
