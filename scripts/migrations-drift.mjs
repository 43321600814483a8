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
    const { upQueries } = await source.driver.createSchemaBuilder().log();
    // Indexes stand in the migrations alone.
    const drift = upQueries.filter(({ query }) => !query.startsWith('DROP INDEX'));
    if (drift.length > 0) {
      const queries = drift.map(({ query }) => `  ${query}`).join('\n');
      throw new Stop(`The migrations do not create the schema that the code describes. TypeORM would add:\n${queries}`);
    }
    for (const _ of applied) await source.undoLastMigration();
    await source.query('DROP TABLE migrations');
    // PostgreSQL refuses it while anything is left in the schema, and says what.
    await source.query('DROP SCHEMA public').catch(({ driverError: { detail, message } }) => {
      throw new Stop(`After all migrations were reverted, something is left:\n${detail ?? message}`);
    });
  } finally {
    await source.destroy();
  }
}
