import argon2 from 'argon2';
import type { QueryResultRow } from 'pg';
import type { DataSource } from 'typeorm';
import type { PasswordGuesses, Passwords, PlatformTokens } from '../../src/application/ports.js';
import { buildUseCases } from '../../src/composition/use-cases.js';
import type { RateLimit } from '../../src/domain/keys/rate-limit.js';
import { MemoryRateLimiter } from '../../src/infrastructure/outbound/memory/memory-rate-limiter.js';
import { Argon2Passwords } from '../../src/infrastructure/outbound/passwords/argon2-passwords.js';
import { PostgresAccounts } from '../../src/infrastructure/outbound/postgres/accounts/accounts.js';
import { PostgresPasswordGuesses } from '../../src/infrastructure/outbound/postgres/accounts/password-guesses.js';
import { PostgresSessions } from '../../src/infrastructure/outbound/postgres/accounts/sessions.js';
import { PostgresAuditTrail } from '../../src/infrastructure/outbound/postgres/audit/audit-trail.js';
import { PostgresAudit } from '../../src/infrastructure/outbound/postgres/audit/postgres-audit.js';
import { Database } from '../../src/infrastructure/outbound/postgres/connection/database.js';
import { openDatabase } from '../../src/infrastructure/outbound/postgres/connection/open-database.js';
import { PostgresApiKeys } from '../../src/infrastructure/outbound/postgres/keys/api-keys.js';
import { PostgresKeyReader } from '../../src/infrastructure/outbound/postgres/keys/key-reader.js';
import { PostgresLastUse } from '../../src/infrastructure/outbound/postgres/keys/last-use.js';
import { PrometheusMetrics } from '../../src/infrastructure/telemetry/prometheus-metrics.js';
import { PASSWORD } from './calls.js';
import { STORE_PATIENCE_MS } from './patience.mjs';

export * from './calls.js';

/** Of PASSWORD, and checked in no time: what suites whose subject is not argon2 give their owners. */
export const CHEAP_HASH = await argon2.hash(PASSWORD, {
  type: argon2.argon2id,
  memoryCost: 1024,
  timeCost: 1,
  parallelism: 1,
});

export interface Parts {
  readonly passwords?: Passwords;
  readonly guesses?: PasswordGuesses;
  readonly tokens?: PlatformTokens;
  readonly rateLimit?: RateLimit;
  readonly patienceMs?: number;
}

export type Application = Awaited<ReturnType<typeof openApplication>>;

/** One instance of the service's inside: the use cases over the adapters, with no server before it. */
export async function openApplication(databaseUrl: string, parts: Parts = {}) {
  return openOver(await openDatabase(databaseUrl, 'lk'), databaseUrl, parts);
}

/** The same over a connection to a database that is migrated already. */
export async function openOver(dataSource: DataSource, databaseUrl: string, parts: Parts = {}) {
  const database = new Database(dataSource);
  const flushErrors: unknown[] = [];
  const keyReader = new PostgresKeyReader(databaseUrl, parts.patienceMs ?? STORE_PATIENCE_MS);
  const audit = new PostgresAudit(databaseUrl, database, parts.patienceMs ?? STORE_PATIENCE_MS);
  await Promise.all([keyReader.open(), audit.open()]);
  const lastUse = new PostgresLastUse(database, (error) => flushErrors.push(error));
  const limiter = new MemoryRateLimiter(parts.rateLimit ?? { perSecond: 20, burst: 100 });
  const meter = new PrometheusMetrics();
  const ports = {
    keyReader,
    audit,
    auditTrail: new PostgresAuditTrail(database),
    keys: new PostgresApiKeys(database),
    accounts: new PostgresAccounts(database),
    sessions: new PostgresSessions(database),
    guesses: parts.guesses ?? new PostgresPasswordGuesses(database),
    lastUse,
    passwords: parts.passwords ?? new Argon2Passwords(argon2),
    limiter,
    platformTokens: parts.tokens,
  };

  /** Looks at what is kept, and moves its clocks. */
  const sql = <Row extends QueryResultRow>(text: string, values: unknown[] = []) =>
    dataSource.query<Row[]>(text, values);

  return {
    ...ports,
    ...buildUseCases({ keyPrefix: 'lk', audit: { sealKeys: [], retentionDays: undefined } }, ports, meter),
    cheapHash: CHEAP_HASH,
    meter,
    database,
    sql,
    close: async () => {
      limiter.close();
      await lastUse.close();
      await keyReader.close();
      await audit.close();
      await dataSource.destroy();
      if (flushErrors.length > 0) throw flushErrors[0];
    },
  };
}

/** The rows say that the key's time ran out an hour ago; nobody has observed it yet. */
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

/** What is on record of an owner, oldest first, read on another connection than it was written on. */
export function eventsOf(app: Application, ownerId: string, type = '%'): Promise<StoredEvent[]> {
  return app.sql(`SELECT * FROM audit_events WHERE owner_id = $1 AND type LIKE $2 ORDER BY id`, [ownerId, type]);
}
