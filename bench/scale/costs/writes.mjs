import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../../scripts/lib/wait.mjs';
import { cpuOf, cpuSeconds, familyCpuSeconds } from '../../lib/cpu.mjs';
import { connected, pageImages, walBytes } from '../../lib/database.mjs';
import { cookieOf, PASSWORD } from '../../lib/service.mjs';
import { median } from '../../lib/statistics.mjs';

const TIMES = 9;
const UNSEALED = `
  SELECT coalesce((SELECT max(id) FROM audit_events), 0) - coalesce((SELECT max(to_event_id) FROM audit_seals), 0) AS unsealed`;

/**
 * Bytes of WAL for each event on the audit trail, without the page images that PostgreSQL adds at the first change
 * after a checkpoint. The median of several, since something else is written at the same time now and then.
 * @param {string} databaseUrl
 * @param {{ url: string }} service a new service, which seals
 * @param {import('../../lib/process.mjs').BenchProcess} client
 */
export const walCosts = (databaseUrl, service, client) =>
  connected(databaseUrl, async (database) => {
    await pageImages(database, 'off');
    const sealed = async () => (await database.query(UNSEALED)).rows[0].unsealed === '0';
    /** Bytes of the work itself, and together with the seal that follows. */
    const bytesOf = async (/** @type {() => Promise<unknown>} */ work) => {
      await until(sealed, 10_000);
      const before = await walBytes(database);
      await work();
      const own = (await walBytes(database)) - before;
      await until(sealed, 10_000);
      return { own, withSeal: (await walBytes(database)) - before };
    };
    const asOwner = await owner(service.url);
    const fail = (/** @type {number} */ atOnce) => client.send({ concurrency: atOnce, calls: atOnce, unknown: true });
    const each = [];
    for (let n = 0; n < TIMES; n += 1) {
      let id = '';
      const creation = await bytesOf(async () => {
        id = (await asOwner('', { name: 'bench', access: 'read-only', password: PASSWORD })).apiKey.id;
      });
      const revocation = await bytesOf(() => asOwner(`/${id}/revoke`, {}));
      const failure = await bytesOf(() => fail(1));
      const failureOfTen = (await bytesOf(() => fail(10))).own / 10;
      const seal = failure.withSeal - failure.own;
      each.push({ creation: creation.own, revocation: revocation.own, failure: failure.own, failureOfTen, seal });
    }
    await pageImages(database, 'on');
    return Object.fromEntries(Object.keys(each[0]).map((name) => [name, median(each.map((costs) => costs[name]))]));
  });

/** Calls the HTTP API of keys as the demo owner. @param {string} url */
async function owner(url) {
  const headers = { cookie: await cookieOf(url), 'content-type': 'application/json' };
  return async (/** @type {string} */ path, /** @type {object} */ body) => {
    const response = await fetch(`${url}/v1/api-keys${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return response.json();
  };
}

const KEYS = 20_000;
/** A key's usage is written at most every ten seconds. */
const REST_MS = 12_000;
const WRITTEN = 'SELECT count(*)::integer AS keys FROM api_key_usage WHERE xmin::text::bigint > $1';

/**
 * The cost of recording a key's usage since it was last recorded: last use, an address and a day.
 * @param {string} databaseUrl @param {{ pid: number }} service @param {import('../../lib/process.mjs').BenchProcess} client
 */
export const usageCosts = (databaseUrl, service, client) =>
  connected(databaseUrl, async (database) => {
    const { rows } = await database.query('SHOW data_directory');
    const postmaster = Number.parseInt(readFileSync(join(rows[0].data_directory, 'postmaster.pid'), 'utf8'), 10);
    const counters = { service: () => cpuSeconds(service.pid), postgres: () => familyCpuSeconds(postmaster) };
    const written = async () => {
      // Usage within a key's pause is written when the pause ends.
      for (const _ of [1, 2]) await client.send({ concurrency: 256, calls: KEYS, distinct: KEYS });
      // So that only the measured writes cause page images.
      await database.query('CHECKPOINT');
      const { rows: now } = await database.query('SELECT txid_current() AS id');
      const before = await walBytes(database);
      // Only the time after the last use counts, when nothing else happens.
      const { spent } = await cpuOf(counters, () => new Promise((resolve) => setTimeout(resolve, REST_MS)));
      const bytes = (await walBytes(database)) - before;
      const { keys } = (await database.query(WRITTEN, [now[0].id])).rows[0];
      const [serviceMicros, postgresMicros] = [spent.service, spent.postgres].map((seconds) => (seconds * 1e6) / keys);
      return { keys, serviceMicros, postgresMicros, walBytes: bytes / keys };
    };
    await written();
    await pageImages(database, 'off');
    const plain = await written();
    await pageImages(database, 'on');
    const { walBytes: walBytesAfterCheckpoint } = await written();
    return { ...plain, walBytesAfterCheckpoint };
  });
