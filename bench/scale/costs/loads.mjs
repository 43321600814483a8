import { cpuOf, cpuSeconds } from '../../lib/cpu.mjs';
import { connected } from '../../lib/database.mjs';
import { sum } from '../../lib/statistics.mjs';

/** So few keys that recording their usage costs next to nothing. */
const DISTINCT_KEYS = 2000;
/** Calls before the measurement, in which V8 compiles the hot functions. */
const WARM_UP = 10_000;

/**
 * The CPU that a validation costs each process, for each of the loads.
 * @param {{ databaseUrl: string, services: readonly import('../../lib/service.mjs').Service[], redisPid?: number,
 *   client: import('../../lib/process.mjs').BenchProcess }} processes one or more services on that database
 * @param {readonly object[]} loads orders of programs/client.mjs
 */
export async function loadCosts({ databaseUrl, services, client, redisPid }, loads) {
  const readers = await readerPids(databaseUrl);
  const counters = {
    service: () => sum(services.map(({ pid }) => cpuSeconds(pid))),
    client: () => cpuSeconds(client.pid),
    postgres: () => sum(readers.map(cpuSeconds)),
    redis: () => (redisPid === undefined ? 0 : cpuSeconds(redisPid)),
  };
  const costs = [];
  for (const load of loads) {
    const order = { distinct: DISTINCT_KEYS, ...load };
    await client.send({ ...order, perSecond: undefined, concurrency: 32, seconds: undefined, calls: WARM_UP });
    const before = await batches(services);
    const { answer, spent } = await cpuOf(counters, () => client.send(order));
    const after = await batches(services);
    if (answer.granted < answer.calls) throw new Error(`${answer.calls - answer.granted} validations were not granted`);
    const micros = Object.fromEntries(Object.entries(spent).map(([who, cpu]) => [who, (cpu * 1e6) / answer.calls]));
    const batch = (after.keys - before.keys) / (after.reads - before.reads);
    costs.push({ ...load, perSecond: answer.perSecond, batch, micros });
  }
  return costs;
}

/** The PostgreSQL processes that read keys for validations. @param {string} databaseUrl @returns {Promise<number[]>} */
async function readerPids(databaseUrl) {
  const statement = `
    SELECT pid FROM pg_stat_activity WHERE application_name = 'latchkey validation' AND datname = current_database()`;
  const { rows } = await connected(databaseUrl, (client) => client.query(statement));
  return rows.map(({ pid }) => pid);
}

/** Counts the reads, and the keys in them. @param {readonly { url: string }[]} services */
async function batches(services) {
  const texts = await Promise.all(services.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()));
  const total = (/** @type {string} */ name) =>
    sum(texts.map((text) => Number(new RegExp(`^latchkey_batch_size_${name} (\\S+)$`, 'm').exec(text)?.[1])));
  return { keys: total('sum'), reads: total('count') };
}
