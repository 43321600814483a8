import type { QueryResultRow } from 'pg';
import type { PasswordGuesses, Passwords } from '#application/sign-in-ports.js';
import { buildAdapters } from '#composition/adapters.js';
import { Parts } from '#composition/parts.js';
import { buildUseCases } from '#composition/use-cases.js';
import { type Config, readConfig } from '#config/config.js';
import { SHOWN_EVENT_TYPES } from '#domain/audit/audit-event.js';
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

/** What a suite replaces: settings, by default the demo's without a limit of new keys, and adapters. */
export interface Given extends Partial<Config> {
  readonly passwords?: Passwords;
  readonly guesses?: PasswordGuesses;
  readonly timeoutMs?: number;
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
  { passwords, guesses, ...settings }: Omit<Given, 'timeoutMs'> = {},
) {
  const { urls, timeoutMs } = primary.config;
  const config = readConfig({ DEMO: '1', DATABASE_URL: urls[0]!, DATABASE_PATIENCE_MS: String(timeoutMs) });
  const own = { ...config, keyChangesPerHour: 0, ...settings };
  const faults: unknown[] = [];
  const log = Object.assign(new Log('silent'), { fault: (error: unknown) => void faults.push(error) });
  const built = buildAdapters(own, primary, dataSource, { log, traces: NO_TRACES }, cheapPasswords());
  const adapters = { ...built, ...(passwords && { passwords }), ...(guesses && { guesses }) };
  const parts = new Parts(adapters);
  await parts.open();
  await adapters.instances.renew('test', 0);
  const meter = new ValidationTimes(new SlowValidations(log, 0));
  const refusals = new LoggedRefusals(log);
  return {
    ...adapters,
    ...buildUseCases(own, { ...adapters, meter, refusals }),
    cheapHash: CHEAP_HASH,
    meter,
    refusals,
    /** Reads stored rows, and moves stored times. */
    sql: <Row extends QueryResultRow>(text: string, values: unknown[] = []) => dataSource.query<Row[]>(text, values),
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

/**
 * The owner's rows of the audit trail, oldest first. They are read over another connection than they were written on.
 * @param types of events; by default those that owners see
 */
export function eventsOf(app: Application, ownerId: string, ...types: readonly string[]): Promise<QueryResultRow[]> {
  const shown = types.length > 0 ? types : SHOWN_EVENT_TYPES;
  return app.sql(`SELECT * FROM audit_events WHERE owner_id = $1 AND type LIKE ANY ($2) ORDER BY id`, [ownerId, shown]);
}
