import pg from 'pg';

/**
 * Runs work on its own connection.
 * @template T
 * @param {string} url
 * @param {(client: pg.Client) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function connected(url, work) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return work(client).finally(() => client.end());
}

/** Full images of pages at their first change after a checkpoint. @param {pg.Client} client @param {'on' | 'off'} value */
export async function pageImages(client, value) {
  await client.query(`ALTER SYSTEM SET full_page_writes = ${value}`);
  await client.query('SELECT pg_reload_conf()');
  await client.query('CHECKPOINT');
}

/** @param {pg.Client} client @returns {Promise<number>} */
export const backendPid = async (client) => (await client.query('SELECT pg_backend_pid() AS pid')).rows[0].pid;

/** The end of the WAL, as bytes since its beginning. @param {pg.Client} client @returns {Promise<number>} */
export async function walBytes(client) {
  const { rows } = await client.query(`SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS bytes`);
  return rows[0].bytes;
}
