import { start } from '../lib/process.mjs';
import { insertDoomed } from '../lib/seed.mjs';
import { cookieOf, LONG_TIMEOUTS, openLine, startService } from '../lib/service.mjs';
import { median, sum } from '../lib/statistics.mjs';
import { ROUND_TRIPS_MS } from './regions.mjs';

const KEYS = 400;
const PER_KEY_AND_SECOND = 20;
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 4);
const RUNS = 5;
const REVOKED = 15;
const LEASES = { LEASE_MS: '2000' };

/**
 * Measures how many calls remain with leases, and what distance costs a change.
 * @param {import('../lib/lab.mjs').Lab} lab
 */
export async function measure({ database, redisUrl }) {
  const databaseUrl = await database(KEYS);
  const calls = await callsOfGuard(databaseUrl, redisUrl);
  const near = await startService(databaseUrl, { ...LONG_TIMEOUTS, ...LEASES });
  const regions = [];
  for (const roundTripMs of ROUND_TRIPS_MS) regions.push(await region({ databaseUrl, redisUrl, near, roundTripMs }));
  await near.stop();
  return {
    keys: KEYS,
    perKeyAndSecond: PER_KEY_AND_SECOND,
    ...LEASES,
    runs: RUNS,
    seconds: SECONDS,
    ...calls,
    regions,
  };
}

/** The calls that remain for one guard, and their bytes with all reports of uses. */
async function callsOfGuard(databaseUrl, redisUrl) {
  const service = await startService(databaseUrl, { ...LONG_TIMEOUTS, ...LEASES, REDIS_URL: redisUrl });
  const line = await openLine(`http://${service.target}`);
  const client = await start('programs/leases-client.mjs', { env: { BENCH_TARGET: line.target }, isServer: false });
  const run = async (/** @type {number} */ perSecond) => {
    const [grants, bytes] = [await service.grants(), await line.countedBytes()];
    const answer = await client.send({ way: 'leases', keys: KEYS, perSecond, seconds: SECONDS });
    const calls = (await service.grants()) - grants;
    return {
      ...answer,
      callsARequest: calls / answer.calls,
      bytesACall: ((await line.countedBytes()) - bytes) / calls,
    };
  };
  const most = KEYS * PER_KEY_AND_SECOND;
  for (const share of [0.1, 0.25, 0.5, 1]) await run(share * most);
  const runs = [];
  for (let turn = 0; turn < RUNS; turn += 1) runs.push(await run(most));
  for (const each of [client, line, service]) await each.stop();
  const refused = sum(runs.map((each) => each.refused));
  if (refused > 0) throw new Error(`${refused} requests were refused`);
  const middle = (/** @type {string} */ name) => median(runs.map((each) => each[name]));
  return {
    perSecond: middle('perSecond'),
    callsARequest: middle('callsARequest'),
    bytesACall: middle('bytesACall'),
  };
}

/** Revokes keys on which a guard of a distant instance holds a lease, there and at the primary. */
async function region({ databaseUrl, redisUrl, near, roundTripMs }) {
  const line = await openLine(databaseUrl, roundTripMs);
  const far = await startService(line.url, { ...LONG_TIMEOUTS, ...LEASES, REDIS_URL: redisUrl });
  const holder = await start('programs/holder.mjs', { env: { BENCH_TARGET: far.target }, isServer: false });
  const revoke = async (/** @type {{ url: string }} */ { url }) => {
    const headers = { cookie: await cookieOf(url) };
    const checked = [];
    for (const { id, key } of await insertDoomed(databaseUrl, REVOKED)) {
      const { fromLease, ms } = await holder.send({ key });
      if (!fromLease) throw new Error('no lease was given');
      const sentAt = performance.now();
      const { status } = await fetch(`${url}/v1/api-keys/${id}/revoke`, { method: 'POST', headers });
      if (status !== 200) throw new Error(`revoke: ${status}`);
      checked.push({ leaseMs: ms, revokeMs: performance.now() - sentAt });
    }
    return checked;
  };
  const [here, nearby] = [await revoke(far), await revoke(near)];
  for (const each of [holder, far, line]) await each.stop();
  return {
    roundTripMs,
    leaseMs: median([...here, ...nearby].map(({ leaseMs }) => leaseMs)),
    revokeMs: median(here.map(({ revokeMs }) => revokeMs)),
    revokeNearbyMs: median(nearby.map(({ revokeMs }) => revokeMs)),
  };
}
