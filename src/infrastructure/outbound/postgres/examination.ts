import type { ExaminedDatabase, ExaminedTables } from '#application/examination.js';
import type { Primary } from './client/primary.js';
import { IS_SYNCHRONOUS } from './client/server-state.js';
import { SERVING_SQL } from './keys/instances.js';
import { appliedMigrations, whyTooOld } from './migrations/migrate.js';
import { connectAny, lackingRights } from './open-database.js';

const SERVER = `
  SELECT current_user AS role, current_database() AS database, current_setting('server_version') AS version,
    extract(epoch FROM clock_timestamp())::float8 * 1000 AS now, ${IS_SYNCHRONOUS} AS "isSynchronous",
    current_setting('transaction_read_only') = 'on' AS "isReadOnly"`;

const seconds = (at: string) => `extract(epoch FROM clock_timestamp() - min(${at}))::float8`;
const TABLES = `
  SELECT
    (SELECT coalesce(json_agg(row_to_json(serving)), '[]') FROM (${SERVING_SQL}) serving) AS instances,
    unsealed.count::integer AS "unsealedEvents", unsealed.age AS "oldestUnsealedSeconds",
    (SELECT count(*)::integer FROM outbox WHERE failed_at IS NULL) AS "waitingNotices",
    (SELECT count(*)::integer FROM outbox WHERE failed_at IS NOT NULL) AS "failedNotices",
    (SELECT count(*)::integer FROM outbox
      WHERE failed_at IS NULL AND tries > 0 AND told_at < clock_timestamp() - interval '10 minutes') AS "refusedNotices",
    (SELECT ${seconds('next_try_at')} FROM outbox WHERE failed_at IS NULL AND next_try_at < clock_timestamp())
      AS "overdueNoticeSeconds",
    (SELECT ${seconds('least(expires_at, ends_at)')} FROM api_keys
      WHERE revoked_at IS NULL AND expired_at IS NULL AND least(expires_at, ends_at) < clock_timestamp())
      AS "overdueEndSeconds",
    (SELECT count(*)::integer FROM leak_reports) AS "waitingLeakReports"
  FROM (
    SELECT count(*) AS count, ${seconds('at')} AS age FROM audit_events
    WHERE id > coalesce((SELECT to_event_id FROM audit_seals ORDER BY id DESC LIMIT 1), 0)
  ) unsealed`;

/** Reads a database in any state, also one that has to be migrated first. */
export async function examineDatabase(primary: Primary): Promise<ExaminedDatabase> {
  const source = await connectAny(primary);
  try {
    const sentAt = Date.now();
    const [row] = await source.query<(Omit<ExaminedDatabase, 'tables'> & { readonly now: number })[]>(SERVER);
    const { now, ...server } = row!;
    const clockAheadMs = now - (sentAt + Date.now()) / 2;
    const applied = await appliedMigrations(source);
    const missingMigrations = source.migrations.flatMap(({ name = '' }) => (applied.includes(name) ? [] : [name]));
    const isCurrent = missingMigrations.length === 0;
    const lacking = isCurrent ? await lackingRights(source, false) : [];
    const [tables] = isCurrent ? await source.query<ExaminedTables[]>(TABLES) : [];
    return { ...server, clockAheadMs, lacking, missingMigrations, tooOld: whyTooOld(applied), tables };
  } finally {
    await source.destroy();
  }
}
