import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cpuOf, cpuSeconds, familyCpuSeconds } from '../../lib/cpu.mjs';
import { connected, pageImages, walBytes } from '../../lib/database.mjs';

const KEYS = 20_000;
/** A key's usage is written at most every ten seconds. */
const REST_MS = 12_000;

/**
 * The cost of recording a key's usage since it was last recorded: last use, an address and a day.
 * @param {string} databaseUrl
 * @param {{ pid: number }} service
 * @param {{ ask(order: object): Promise<any> }} client
 */
export const usageCosts = (databaseUrl, service, client) =>
  connected(databaseUrl, async (database) => {
    const { rows } = await database.query('SHOW data_directory');
    const postmaster = Number.parseInt(readFileSync(join(rows[0].data_directory, 'postmaster.pid'), 'utf8'), 10);
    const counters = { service: () => cpuSeconds(service.pid), postgres: () => familyCpuSeconds(postmaster) };
    const written = async () => {
      // Usage within a key's pause is written when the pause ends.
      for (const _ of [1, 2]) await client.ask({ concurrency: 256, calls: KEYS, distinct: KEYS });
      // So that only the measured writes cause page images.
      await database.query('CHECKPOINT');
      const { rows: now } = await database.query('SELECT txid_current() AS id');
      const before = await walBytes(database);
      // Only the time after the last use counts, when nothing else happens.
      const { spent } = await cpuOf(counters, () => new Promise((resolve) => setTimeout(resolve, REST_MS)));
      const bytes = (await walBytes(database)) - before;
      const since = 'SELECT count(*)::integer AS keys FROM api_key_usage WHERE xmin::text::bigint > $1';
      const { keys } = (await database.query(since, [now[0].id])).rows[0];
      const micros = (/** @type {number} */ seconds) => (seconds * 1e6) / keys;
      const [serviceMicros, postgresMicros] = [micros(spent.service), micros(spent.postgres)];
      return { keys, serviceMicros, postgresMicros, walBytes: bytes / keys };
    };
    await written();
    await pageImages(database, 'off');
    const plain = await written();
    await pageImages(database, 'on');
    const { walBytes: walBytesAfterCheckpoint } = await written();
    return { ...plain, walBytesAfterCheckpoint };
  });
