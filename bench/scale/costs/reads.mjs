import pg from 'pg';
import { readKeys } from '../../../dist/infrastructure/outbound/postgres/keys/read-keys.js';
import { SYNCHRONY } from '../../../dist/infrastructure/outbound/postgres/client/server-state.js';
import { cpuOf, cpuSeconds } from '../../lib/cpu.mjs';
import { backendPid } from '../../lib/database.mjs';
import { publicPartOf, randomKeys } from '../../lib/keys.mjs';
import { median } from '../../lib/statistics.mjs';

const BATCHES = [1, 10, 100, 500];
/** Reads before the measurement, until PostgreSQL has settled on a plan. */
const WARM_UP = 20;
/** The runs of each side, in turns. */
const RUNS = 3;
const WAYS = ['reads', 'barrier'];

/**
 * CPU of the PostgreSQL process that answers a validation's read, for statements with different numbers of random keys:
 * `reads` alone, and with a `barrier`, for which there is a synchronous standby.
 * @param {string} databaseUrl @param {{ keys: number, seconds: number }} load `keys`: how many are stored
 */
export async function readCosts(databaseUrl, { keys, seconds }) {
  const publicParts = randomKeys(keys).map(publicPartOf);
  const costs = { reads: [], barrier: [] };
  const readers = [];
  for (const way of WAYS) readers.push({ way, ...(await reader(databaseUrl, publicParts, way === 'barrier')) });
  for (const batch of BATCHES) {
    const runs = { reads: [], barrier: [] };
    for (let run = 0; run < RUNS; run += 1) {
      for (const { way, microsAKey } of readers) runs[way].push(await microsAKey(batch, seconds / RUNS));
    }
    for (const way of WAYS) costs[way].push({ batch, micros: median(runs[way]) });
  }
  await Promise.all(readers.map(({ close }) => close()));
  return costs;
}

/** @param {string} url @param {readonly string[]} publicParts @param {boolean} readBarrier */
async function reader(url, publicParts, readBarrier) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const pid = await backendPid(client);
  const { text } = readKeys({ pooling: 'session', readBarrier });
  let next = 0;
  const readBatch = async (/** @type {number} */ batch) => {
    const keys = Array.from({ length: batch }, () => publicParts[(next = (next + 1) % publicParts.length)]);
    await client.query({ name: 'read_keys', text, values: [keys.join()] });
    if (readBarrier) await client.query({ name: 'barrier_held', text: SYNCHRONY });
  };
  return {
    close: () => client.end(),
    microsAKey: async (/** @type {number} */ batch, /** @type {number} */ seconds) => {
      for (let n = 0; n < WARM_UP; n += 1) await readBatch(batch);
      let statements = 0;
      const end = performance.now() + seconds * 1000;
      const { spent } = await cpuOf({ backend: () => cpuSeconds(pid) }, async () => {
        for (; performance.now() < end; statements += 1) await readBatch(batch);
      });
      return (spent.backend * 1e6) / (statements * batch);
    },
  };
}
