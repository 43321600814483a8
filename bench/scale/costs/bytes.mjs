import { connected } from '../../lib/database.mjs';
import { openLine, startClient, startService } from '../../lib/service.mjs';

const TABLES = ['api_keys', 'accounts', 'audit_events', 'api_key_usage', 'api_key_addresses', 'api_key_days'];

/** Bytes per row of the tables that grow, including the row's share of all indexes. @param {string} databaseUrl */
export const sizes = (databaseUrl) =>
  connected(databaseUrl, async (client) => {
    await client.query('VACUUM ANALYZE');
    const all = {};
    for (const table of TABLES) {
      const { rows } = await client.query(
        `SELECT rows, pg_table_size('${table}') / rows AS "tableBytes", pg_indexes_size('${table}') / rows AS "indexBytes"
         FROM (SELECT count(*)::float8 AS rows FROM ${table}) AS counted`,
      );
      all[table] = rows[0];
    }
    return all;
  });

/**
 * Counts the bytes on each of a service's lines, in both directions, with 32 questions in flight.
 * @param {{ databaseUrl: string, redisUrl: string, keys: number, env: Record<string, string> }} settings
 */
export async function bytesAValidation({ databaseUrl, redisUrl, keys, env }) {
  const [postgres, redis] = [await openLine(databaseUrl), await openLine(redisUrl)];
  const service = await startService(postgres.url, { ...env, REDIS_URL: redis.url });
  const guard = await openLine(`http://${service.target}`);
  const client = await startClient([guard], keys);
  const lines = Object.entries({ guard, postgres, redis });
  const counted = () => Promise.all(lines.map(([, line]) => line.countedBytes()));
  await client.send({ concurrency: 32, seconds: 1 });
  const before = await counted();
  const { calls } = await client.send({ concurrency: 32, seconds: 2 });
  const after = await counted();
  await client.stop();
  await service.stop();
  for (const [, line] of lines) await line.stop();
  return Object.fromEntries(lines.map(([name], n) => [name, (after[n] - before[n]) / calls]));
}
