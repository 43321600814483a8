import pg from 'pg';
import { barrierHeld, readKeys } from '../../../dist/infrastructure/outbound/postgres/keys/read-keys-sql.js';
import { cpuOf, cpuSeconds } from '../../lib/cpu.mjs';
import { keyNumber, publicPartOf } from '../../lib/keys.mjs';

const BATCHES = [1, 10, 100, 500];
/** Until PostgreSQL has settled on a plan. */
const WARM_UP = 20;

/**
 * CPU of the PostgreSQL process that answers a validation's read, for so many random keys a statement.
 * @param {string} databaseUrl
 * @param {{ readBarrier: boolean, keys: number, seconds: number }} read `keys`: how many are stored
 */
export async function readCosts(databaseUrl, { readBarrier, keys, seconds }) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  const settings = {
    urls: [databaseUrl],
    patienceMs: 120,
    pooling: /** @type {const} */ ('session'),
    requireSynchronous: false,
  };
  const read = readKeys({ ...settings, readBarrier });
  const after = barrierHeld({ ...settings, readBarrier });
  const publicParts = Array.from({ length: 100_000 }, () => publicPartOf(keyNumber(Math.floor(Math.random() * keys))));
  let next = 0;
  const readBatch = async (/** @type {number} */ batch) => {
    const asked = Array.from({ length: batch }, () => publicParts[(next = (next + 1) % publicParts.length)]);
    await client.query({ ...read, values: [asked.join()] });
    if (readBarrier) await client.query(after);
  };
  const costs = [];
  for (const batch of BATCHES) {
    for (let n = 0; n < WARM_UP; n += 1) await readBatch(batch);
    let statements = 0;
    const end = performance.now() + seconds * 1000;
    const { spent } = await cpuOf({ backend: () => cpuSeconds(rows[0].pid) }, async () => {
      for (; performance.now() < end; statements += 1) await readBatch(batch);
    });
    costs.push({ batch, micros: (spent.backend * 1e6) / (statements * batch) });
  }
  await client.end();
  return costs;
}
