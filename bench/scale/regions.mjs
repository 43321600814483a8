import { createGuard } from '../../clients/node/dist/index.js';
import { openLine } from '../lib/line.mjs';
import { guardQuestion } from '../lib/proto.mjs';
import { insertDoomed } from '../lib/seed.mjs';
import { cookieOf, SERVICE_TOKEN, startService, withService } from '../lib/service.mjs';
import { summary } from '../lib/statistics.mjs';

const ROUND_TRIPS_MS = [0, 20, 80, 150];
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
    console.log(JSON.stringify(regions.at(-1)));
  }
  await near.stop();
  return { keys: KEYS, seconds: SECONDS, regions };
}

/**
 * Measures an instance at this distance from the primary, with a Redis nearby.
 * @param {{ databaseUrl: string, redisUrl: string, near: import('../lib/service.mjs').Service, roundTripMs: number }}
 *   where
 */
async function region({ databaseUrl, redisUrl, near, roundTripMs }) {
  const line = await openLine(databaseUrl, roundTripMs);
  /** @type {<T>(timeoutMs: number, deadlineMs: number, work: (client: any, service: any) => Promise<T>) => Promise<T>} */
  const at = (timeoutMs, deadlineMs, work) => {
    const env = { DATABASE_PATIENCE_MS: String(timeoutMs), LOG_LEVEL: 'silent', REDIS_URL: redisUrl };
    return withService({ databaseUrl: line.url, keys: KEYS, env, deadlineMs }, async (client, service) => {
      await client.ask({ concurrency: 32, seconds: 2 });
      return work((/** @type {object} */ load) => client.ask({ ...load, seconds: SECONDS }), service);
    });
  };
  const advised = { timeoutMs: 120 + roundTripMs, deadlineMs: 200 + 2 * roundTripMs };
  const byDefault = await at(120, 200, (ask) => ask({ perSecond: 200 }));
  const asAdvised = await at(advised.timeoutMs, advised.deadlineMs, async (ask, service) => ({
    startMs: service.startMs,
    calm: await ask({ perSecond: 200 }),
    busy: await ask({ perSecond: 2000 }),
    denied: await ask({ perSecond: 20, unknown: true }),
  }));
  const crowded = await at(LONG_TIMEOUT_MS, LONG_TIMEOUT_MS, async (ask, service) => ({
    crowd: await ask({ concurrency: CROWD }),
    revoked: await revocations(databaseUrl, service.url, [service, near]),
  }));
  await line.stop();
  return { roundTripMs, ...advised, byDefault, ...asAdvised, ...crowded };
}

/**
 * Revokes keys at one instance. As soon as a revocation is answered, validates the key at several instances.
 * @param {string} databaseUrl @param {string} url of the instance that revokes
 * @param {readonly { target: string }[]} asked
 */
async function revocations(databaseUrl, url, asked) {
  const doomed = await insertDoomed(databaseUrl, REVOKED);
  const guards = asked.map(({ target }) => createGuard({ target, serviceToken: SERVICE_TOKEN, deadlineMs: 2000 }));
  const headers = { cookie: await cookieOf(url) };
  const counts = { grantsBefore: 0, grantsAfter: 0, refusedAfter: 0, failed: 0 };
  const decisions = (/** @type {string} */ key) => Promise.all(guards.map((guard) => guard.check(guardQuestion(key))));
  const latenciesMs = [];
  for (const { id, key } of doomed) {
    for (const { allowed } of await decisions(key)) counts.grantsBefore += allowed ? 1 : 0;
    const began = performance.now();
    const { status } = await fetch(`${url}/v1/api-keys/${id}/revoke`, { method: 'POST', headers });
    latenciesMs.push(performance.now() - began);
    if (status !== 200) throw new Error(`revoke: ${status}`);
    for (const decision of await decisions(key)) {
      counts[decision.allowed ? 'grantsAfter' : decision.status === 503 ? 'failed' : 'refusedAfter'] += 1;
    }
  }
  for (const guard of guards) guard.close();
  return { keys: REVOKED, ...counts, latencyMs: summary(latenciesMs) };
}
