import pg from 'pg';
import { unknownKey } from '../../lib/keys.mjs';
import { median } from '../../lib/statistics.mjs';
import { until } from '../../../scripts/lib/wait.mjs';
import { cookieOf } from '../../lib/sign-in.mjs';

const TIMES = 9;
const PASSWORD = 'correct horse battery staple';
const UNSEALED = `
  SELECT coalesce((SELECT max(id) FROM audit_events), 0) - coalesce((SELECT max(to_event_id) FROM audit_seals), 0) AS unsealed`;

/**
 * Bytes of WAL of each entry of the record, without the images of pages that PostgreSQL adds at their first change after a
 * checkpoint. The median of some: now and then something else is written down meanwhile.
 * @param {string} databaseUrl
 * @param {{ url: string }} service which has been asked nothing yet, and seals
 * @param {{ ask(order: object): Promise<any> }} client
 */
export async function walCosts(databaseUrl, service, client) {
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  await pageImages(database, 'off');
  const sealed = async () => (await database.query(UNSEALED)).rows[0].unsealed === '0';
  /** Of the work itself, and with the seal that follows it. */
  const bytesOf = async (/** @type {() => Promise<unknown>} */ work) => {
    await until(sealed, 10_000);
    const before = await position(database);
    await work();
    const own = await position(database, before);
    await until(sealed, 10_000);
    return { own, withSeal: await position(database, before) };
  };
  const cookie = await cookieOf(service.url);
  const asOwner = async (/** @type {string} */ path, /** @type {object} */ body) => {
    const headers = { cookie, 'content-type': 'application/json' };
    const response = await fetch(`${service.url}/v1/api-keys${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return response.json();
  };
  const fail = (/** @type {number} */ first, /** @type {number} */ atOnce) => {
    const only = Array.from({ length: atOnce }, (_, n) => unknownKey(first + n));
    return client.ask({ concurrency: atOnce, calls: atOnce, only });
  };
  const each = [];
  for (let n = 0; n < TIMES; n += 1) {
    let id = '';
    const creation = await bytesOf(async () => {
      ({
        apiKey: { id },
      } = await asOwner('', { name: 'bench', access: 'read-only', password: PASSWORD }));
    });
    const revocation = await bytesOf(() => asOwner(`/${id}/revoke`, {}));
    const failure = await bytesOf(() => fail(20 * n, 1));
    const ten = await bytesOf(() => fail(20 * n + 1, 10));
    each.push({
      creation: creation.own,
      revocation: revocation.own,
      failure: failure.own,
      failureOfTen: ten.own / 10,
      seal: failure.withSeal - failure.own,
    });
  }
  await pageImages(database, 'on');
  await database.end();
  const names = /** @type {(keyof typeof each[0])[]} */ (Object.keys(each[0]));
  return Object.fromEntries(names.map((name) => [name, median(each.map((costs) => costs[name]))]));
}

/** @param {pg.Client} database @param {'on' | 'off'} value */
export async function pageImages(database, value) {
  await database.query(`ALTER SYSTEM SET full_page_writes = ${value}`);
  await database.query('SELECT pg_reload_conf()');
  await database.query('CHECKPOINT');
}

/** Bytes of WAL since then. @param {pg.Client} database @param {string | number} [since] @returns {Promise<any>} */
export async function position(database, since) {
  const { rows } = await database.query(
    since === undefined
      ? 'SELECT pg_current_wal_insert_lsn()::text AS at'
      : `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '${since}')::float8 AS at`,
  );
  return rows[0].at;
}
