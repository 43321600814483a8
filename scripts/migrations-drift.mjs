// Checks on a temporary PostgreSQL that the migrations create the tables that the code expects, and that each migration
// can be reverted.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startEmbeddedPostgres } from './embedded-postgres.mjs';
import { root } from './lib/paths.mjs';
import { main, Stop } from './lib/stop.mjs';

await main(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'latchkey-drift-'));
  const postgres = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off' }, detached: false });
  try {
    await check(postgres.url);
  } finally {
    await postgres.stop();
    rmSync(dataDir, { recursive: true });
  }
});

/** @param {string} url */
async function check(url) {
  const built = pathToFileURL(join(root, 'dist/infrastructure/outbound/postgres/')).href;
  const { createDataSource } = await import(`${built}schema.js`);
  const { Primary } = await import(`${built}client/primary.js`);
  /** @type {import('typeorm').DataSource} */
  const source = await createDataSource(new Primary({ urls: [url], pooling: 'session' })).initialize();
  try {
    const applied = await source.runMigrations();
    if (applied.length === 0) throw new Stop('No migration was applied: is their list empty?');
    const drift = await source.driver.createSchemaBuilder().log();
    if (drift.upQueries.length > 0) {
      const queries = drift.upQueries.map(({ query }) => `  ${query}`).join('\n');
      throw new Stop(`The migrations do not create the schema that the code describes. TypeORM would add:\n${queries}`);
    }
    for (const _ of applied) await source.undoLastMigration();
    const left = await objectsIn(source);
    if (left.length > 0) throw new Stop(`After all migrations were reverted, these are left: ${left.join(', ')}`);
  } finally {
    await source.destroy();
  }
}

/**
 * The objects in the schema, without TypeORM's own list of migrations.
 * @param {import('typeorm').DataSource} source
 * @returns {Promise<string[]>}
 */
async function objectsIn(source) {
  /** @type {{ name: string }[]} */
  const rows = await source.query(
    `SELECT relkind::text || ' ' || relname AS name FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relname !~ 'migrations'
        AND oid NOT IN (SELECT indexrelid FROM pg_index WHERE indrelid = to_regclass('migrations'))
     UNION ALL
     SELECT 'type ' || typname FROM pg_type WHERE typnamespace = 'public'::regnamespace AND typtype IN ('e', 'd')
     UNION ALL
     SELECT 'function ' || proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace
     ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}
