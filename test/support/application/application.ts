import type { QueryResultRow } from 'pg';
import type { PasswordGuesses, Passwords } from '#application/sign-in-ports.js';
import { buildAdapters } from '#composition/adapters.js';
import { Parts } from '#composition/parts.js';
import { buildUseCases } from '#composition/use-cases.js';
import { readConfig } from '#config/config.js';
import { SHOWN_EVENT_TYPES } from '#domain/audit/audit-event.js';
import type { NoticeReceivers } from '#domain/notices/key-notice.js';
import type { RateLimit } from '#domain/rate-limit.js';
import { openDatabase } from '#infrastructure/outbound/postgres/open-database.js';
import type { SessionSource } from '#infrastructure/outbound/postgres/client/data-source.js';
import type { Primary } from '#infrastructure/outbound/postgres/client/primary.js';
import { Log, LoggedRefusals } from '#infrastructure/telemetry/log.js';
import { SlowValidations, ValidationTimes } from '#infrastructure/telemetry/validation-times.js';
import { NO_TRACES } from '#infrastructure/telemetry/traces.js';
import { cheapPasswords } from './cheap-passwords.js';
import { CHEAP_HASH } from './cheap.mjs';
import { createMigratedDatabase } from '../stores/databases.mjs';
import { primaryAt } from '../stores/primary.js';

export * from './calls.js';

/** What a suite replaces: an adapter or a setting. */
export interface Given {
  readonly passwords?: Passwords;
  readonly guesses?: PasswordGuesses;
  readonly rateLimit?: RateLimit;
  readonly timeoutMs?: number;
  /** No limit by default. */
  readonly keyChangesPerHour?: number;
  /** None by default. */
  readonly noticeReceivers?: NoticeReceivers;
  /** Never by default. */
  readonly revokeIdleAfterDays?: number;
}

/** Milliseconds. Many simultaneous calls take long on a busy machine, and no guarantee depends on these timeouts. */
const MINUTE = 60_000;
const UNHURRIED = {
  statement_timeout: MINUTE,
  lock_timeout: MINUTE,
  answerTimeoutMs: MINUTE,
  connectTimeoutMs: MINUTE,
};

export type Application = Awaited<ReturnType<typeof openApplication>>;

/** One instance of the service without its servers: the use cases and the adapters. */
export async function openApplication(databaseUrl: string, { timeoutMs, ...given }: Given = {}) {
  const primary = primaryAt(databaseUrl, timeoutMs === undefined ? {} : { timeoutMs });
  return openOver(await openDatabase(primary, 'lk', { limits: UNHURRIED }), primary, given);
}

export type OwnApplication = Awaited<ReturnType<typeof openOnOwnDatabase>>;

/** The same with its own database, which `close` drops. */
export async function openOnOwnDatabase(given: Given = {}) {
  const database = await createMigratedDatabase();
  const application = await openApplication(database.url, given);
  const close = () => application.close().finally(() => database.drop());
  return { ...application, databaseUrl: database.url, close };
}

/** The same on an open connection to a migrated database. */
export async function openOver(
  dataSource: SessionSource,
  primary: Primary,
  { rateLimit, noticeReceivers, keyChangesPerHour = 0, revokeIdleAfterDays, ...ports }: Omit<Given, 'timeoutMs'> = {},
) {
  const { urls, timeoutMs } = primary.config;
  const config = readConfig({ DEMO: '1', DATABASE_URL: urls[0]!, DATABASE_PATIENCE_MS: String(timeoutMs) });
  const faults: unknown[] = [];
  const log = Object.assign(new Log('silent'), { fault: (error: unknown) => void faults.push(error) });
  const telemetry = { log, traces: NO_TRACES };
  const own = {
    ...config,
    keyChangesPerHour,
    keyPolicy: { ...config.keyPolicy, revokeIdleAfterDays },
    ...(rateLimit && { rateLimit }),
    ...(noticeReceivers && { noticeReceivers }),
  };
  const adapters = { ...buildAdapters(own, primary, dataSource, telemetry, cheapPasswords()), ...ports };
  const parts = new Parts(adapters);
  await parts.open();
  await adapters.instances.renew('test', 0);
  const meter = new ValidationTimes(new SlowValidations(log, 0));
  const refusals = new LoggedRefusals(log);

  /** Reads stored rows, and moves stored times. */
  const sql = <Row extends QueryResultRow>(text: string, values: unknown[] = []) =>
    dataSource.query<Row[]>(text, values);

  return {
    ...adapters,
    ...buildUseCases(own, { ...adapters, meter, refusals }),
    cheapHash: CHEAP_HASH,
    meter,
    refusals,
    sql,
    close: async () => {
      await parts.close();
      if (faults.length > 0) throw faults[0];
    },
  };
}

/** Makes the keys expire an hour ago in their rows. The expiry has not been observed yet. */
export async function runOut(app: Application, ...keyIds: string[]): Promise<void> {
  await app.sql(`UPDATE api_keys SET expires_at = clock_timestamp() - interval '1 hour' WHERE id = ANY($1)`, [keyIds]);
}

export interface StoredEvent {
  type: string;
  reason: string | null;
  owner_id: string | null;
  key_id: string | null;
  actor_id: string | null;
  public_part: string | null;
  client_ip: string | null;
  user_agent: string | null;
  request_id: string | null;
  count: number;
}

/**
 * The owner's events on the audit trail, oldest first. They are read over another connection than they were written on.
 * @param types of events; by default those that owners see
 */
export function eventsOf(app: Application, ownerId: string, ...types: readonly string[]): Promise<StoredEvent[]> {
  const shown = types.length > 0 ? types : SHOWN_EVENT_TYPES;
  return app.sql(`SELECT * FROM audit_events WHERE owner_id = $1 AND type LIKE ANY ($2) ORDER BY id`, [ownerId, shown]);
}
