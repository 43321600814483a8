import { connected, pageImages, walBytes } from '../../lib/database.mjs';
import { cookieOf, PASSWORD } from '../../lib/service.mjs';
import { median } from '../../lib/statistics.mjs';
import { until } from '../../../scripts/lib/wait.mjs';

const TIMES = 9;
const UNSEALED = `
  SELECT coalesce((SELECT max(id) FROM audit_events), 0) - coalesce((SELECT max(to_event_id) FROM audit_seals), 0) AS unsealed`;

/**
 * Bytes of WAL for each event on the audit trail, without the page images that PostgreSQL adds at the first change
 * after a checkpoint. The median of several, since something else is written at the same time now and then.
 * @param {string} databaseUrl
 * @param {{ url: string }} service a new service, which seals
 * @param {{ ask(order: object): Promise<any> }} client
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
    const fail = (/** @type {number} */ atOnce) => client.ask({ concurrency: atOnce, calls: atOnce, unknown: true });
    /** @type {Record<string, number>[]} */
    const each = [];
    for (let n = 0; n < TIMES; n += 1) {
      let id = '';
      const creation = await bytesOf(async () => {
        id = (await asOwner('', { name: 'bench', access: 'read-only', password: PASSWORD })).apiKey.id;
      });
      const revocation = await bytesOf(() => asOwner(`/${id}/revoke`, {}));
      const failure = await bytesOf(() => fail(1));
      const ten = await bytesOf(() => fail(10));
      each.push({
        creation: creation.own,
        revocation: revocation.own,
        failure: failure.own,
        failureOfTen: ten.own / 10,
        seal: failure.withSeal - failure.own,
      });
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
    return /** @type {any} */ (await response.json());
  };
}
