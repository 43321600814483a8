import pg from 'pg';

/** Bytes a row of what grows, with the row's share of all indexes. @param {string} databaseUrl */
export async function sizes(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('VACUUM ANALYZE');
  const tables = [
    'api_keys',
    'accounts',
    'api_key_usage',
    'api_key_addresses',
    'api_key_days',
    'api_key_networks',
    'audit_events',
  ];
  /** @type {Record<string, { rows: number, tableBytes: number, indexBytes: number }>} */
  const all = {};
  for (const table of tables) {
    const { rows } = await client.query(
      `SELECT (SELECT count(*) FROM ${table})::float8 AS rows, pg_table_size('${table}')::float8 AS "table",
        pg_indexes_size('${table}')::float8 AS indexes`,
    );
    const [size] = rows;
    all[table] = { rows: size.rows, tableBytes: size.table / size.rows, indexBytes: size.indexes / size.rows };
  }
  await client.end();
  return all;
}
