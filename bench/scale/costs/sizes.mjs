import { connected } from '../../lib/database.mjs';

const TABLES = [
  'api_keys',
  'accounts',
  'api_key_usage',
  'api_key_addresses',
  'api_key_days',
  'api_key_networks',
  'audit_events',
];

/** Bytes per row of the tables that grow, including the row's share of all indexes. @param {string} databaseUrl */
export const sizes = (databaseUrl) =>
  connected(databaseUrl, async (client) => {
    await client.query('VACUUM ANALYZE');
    /** @type {Record<string, { rows: number, tableBytes: number, indexBytes: number }>} */
    const all = {};
    for (const table of TABLES) {
      const { rows } = await client.query(
        `SELECT count, pg_table_size('${table}') / count AS "tableBytes", pg_indexes_size('${table}') / count AS "indexBytes"
         FROM (SELECT count(*)::float8 AS count FROM ${table}) AS counted`,
      );
      const [{ count, ...bytes }] = rows;
      all[table] = { rows: count, ...bytes };
    }
    return all;
  });
