import { createDataSource } from '#infrastructure/outbound/postgres/schema.js';
import { databaseNow } from '#infrastructure/outbound/postgres/client/database.js';
import { migrateDatabase } from '#infrastructure/outbound/postgres/open-database.js';
import { openOver, SERVICE_POLICY } from '#test/support/application/application.js';
import { createMigratedDatabase } from '#test/support/stores/databases.mjs';
import { primaryAt } from '#test/support/stores/primary.js';
import { sql } from '#test/support/stores/sql.js';
import type { World } from './world.js';

/** PostgreSQL with a clock that the test controls: a function of the same name is found before the server's own. */
const HELD_CLOCK = `
  CREATE SCHEMA held;
  CREATE TABLE held.clock AS SELECT timestamptz '2026-03-29T00:30:00Z' AS at;
  CREATE FUNCTION held.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS 'SELECT at FROM held.clock';
  ALTER TABLE audit_events ALTER at SET DEFAULT held.clock_timestamp()`;

/** A migrated database with such a clock, for any number of instances. */
export async function openHeldDatabase() {
  const database = await createMigratedDatabase();
  await migrateDatabase(primaryAt(database.url, { pooling: 'session' }));
  await sql(database.url, HELD_CLOCK);
  const name = new URL(database.url).pathname.slice(1);
  await sql(database.url, `ALTER DATABASE ${name} SET search_path = held, pg_catalog, public`);
  return {
    url: database.url,
    start: async (given: Parameters<typeof openOver>[2]) => {
      const primary = primaryAt(database.url);
      return openOver(await createDataSource(primary).initialize(), primary, given);
    },
    pass: (ms: number) => sql(database.url, `UPDATE held.clock SET at = at + make_interval(secs => $1)`, [ms / 1000]),
    drop: () => database.drop(),
  };
}

export async function openPostgresWorld(): Promise<World> {
  const database = await openHeldDatabase();
  const app = await database.start({
    noticeReceivers: { webhook: true, mail: true },
    keyPolicy: { ...SERVICE_POLICY, revokeIdleAfterDays: 30 },
  });
  return {
    ...app,
    undelivered: app.outbox,
    notices: async () => {
      const rows = await app.sql(
        `SELECT id, type, data FROM outbox WHERE channel = 'webhook' ORDER BY told_at, sequence`,
      );
      return rows.map(({ id, type, data }) => ({ id, type, data: JSON.parse(data) }));
    },
    now: () => app.database.run(databaseNow),
    pass: async (ms) => void (await database.pass(ms)),
    settled: () => app.usage.flush(),
    close: async () => {
      await app.close();
      await database.drop();
    },
  };
}
