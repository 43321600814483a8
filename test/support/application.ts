import { randomUUID } from 'node:crypto';
import argon2 from 'argon2';
import type { QueryResultRow } from 'pg';
import type { Client } from '../../src/domain/audit/audit-event.js';
import { ChangeAccountStatus } from '../../src/application/accounts/change-account-status.js';
import { CreateApiKey, type CreateApiKeyCommand } from '../../src/application/keys/create-api-key.js';
import { GetAccount } from '../../src/application/accounts/get-account.js';
import { IdentifyOwner } from '../../src/application/sessions/identify-owner.js';
import { ListApiKeys } from '../../src/application/keys/list-api-keys.js';
import { ListAuditEvents } from '../../src/application/audit/list-audit-events.js';
import { PasswordCheck } from '../../src/application/sessions/password-check.js';
import type { PasswordGuesses, Passwords, PlatformTokens } from '../../src/application/ports.js';
import { PutAccount, type PutAccountCommand } from '../../src/application/accounts/put-account.js';
import { RevokeApiKey } from '../../src/application/keys/revoke-api-key.js';
import { SignIn } from '../../src/application/sessions/sign-in.js';
import { SignOut } from '../../src/application/sessions/sign-out.js';
import { SweepExpiries } from '../../src/application/keys/sweep-expiries.js';
import { ValidateKey } from '../../src/application/keys/validate-key.js';
import type { RateLimit } from '../../src/domain/keys/rate-limit.js';
import { Argon2Passwords } from '../../src/infrastructure/outbound/passwords/argon2-passwords.js';
import { MemoryRateLimiter } from '../../src/infrastructure/outbound/memory/memory-rate-limiter.js';
import { PrometheusMetrics } from '../../src/infrastructure/telemetry/prometheus-metrics.js';
import { PostgresAccounts } from '../../src/infrastructure/outbound/postgres/accounts/accounts.js';
import { PostgresApiKeys } from '../../src/infrastructure/outbound/postgres/keys/api-keys.js';
import { PostgresAudit } from '../../src/infrastructure/outbound/postgres/audit/postgres-audit.js';
import { PostgresAuditTrail } from '../../src/infrastructure/outbound/postgres/audit/audit-trail.js';
import { Database } from '../../src/infrastructure/outbound/postgres/connection/database.js';
import { PostgresKeyReader } from '../../src/infrastructure/outbound/postgres/keys/key-reader.js';
import { PostgresLastUse } from '../../src/infrastructure/outbound/postgres/keys/last-use.js';
import { openDatabase } from '../../src/infrastructure/outbound/postgres/connection/open-database.js';
import { PostgresPasswordGuesses } from '../../src/infrastructure/outbound/postgres/accounts/password-guesses.js';
import { PostgresSessions } from '../../src/infrastructure/outbound/postgres/accounts/sessions.js';
import { STORE_PATIENCE_MS } from './patience.mjs';

export const PASSWORD = 'correct horse battery staple';

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

/** One instance of the service's inside: the use cases over the adapters of app.module.ts, with no server before it. */
export async function openApplication(databaseUrl: string, parts: Parts = {}) {
  const dataSource = await openDatabase(databaseUrl, 'lk');
  const database = new Database(dataSource);
  const flushErrors: unknown[] = [];
  const reader = new PostgresKeyReader(databaseUrl, parts.patienceMs ?? STORE_PATIENCE_MS);
  const audit = new PostgresAudit(databaseUrl, database, parts.patienceMs ?? STORE_PATIENCE_MS);
  await Promise.all([reader.open(), audit.open()]);
  const keys = new PostgresApiKeys(database);
  const accounts = new PostgresAccounts(database);
  const sessions = new PostgresSessions(database);
  const lastUse = new PostgresLastUse(database, (error) => flushErrors.push(error));
  const limiter = new MemoryRateLimiter(parts.rateLimit ?? { perSecond: 20, burst: 100 });
  const meter = new PrometheusMetrics();
  const passwords = parts.passwords ?? new Argon2Passwords(argon2);
  const guesses = parts.guesses ?? new PostgresPasswordGuesses(database);
  const check = new PasswordCheck(passwords, guesses, audit);

  /** Looks at what is kept, and moves its clocks. */
  const sql = <Row extends QueryResultRow>(text: string, values: unknown[] = []) =>
    dataSource.query<Row[]>(text, values);

  return {
    accounts,
    audit,
    database,
    trail: new PostgresAuditTrail(database),
    keys,
    lastUse,
    meter,
    reader,
    sessions,
    createApiKey: new CreateApiKey(accounts, check, 'lk'),
    listApiKeys: new ListApiKeys(keys),
    revokeApiKey: new RevokeApiKey(accounts),
    validateKey: new ValidateKey(reader, limiter, keys, lastUse, audit, meter, 'lk'),
    sweepExpiries: new SweepExpiries(keys),
    listAuditEvents: new ListAuditEvents(audit),
    putAccount: new PutAccount(accounts, passwords),
    getAccount: new GetAccount(accounts),
    changeStatus: new ChangeAccountStatus(accounts),
    signIn: new SignIn(accounts, sessions, passwords, guesses, check, audit),
    signOut: new SignOut(sessions),
    identifyOwner: new IdentifyOwner(sessions, accounts, audit, parts.tokens),
    sql,
    close: async () => {
      limiter.close();
      await lastUse.close();
      await reader.close();
      await audit.close();
      await dataSource.destroy();
      if (flushErrors.length > 0) throw flushErrors[0];
    },
  };
}

/** A client at an address of its own unless one is given. */
export function client(ip = '192.0.2.1'): Client {
  return { ip, userAgent: 'curl/8', requestId: randomUUID() };
}

/** An account nobody else has, whose password is PASSWORD. */
export async function newOwner(app: Application, part: Partial<PutAccountCommand> = {}) {
  const id = `u-${randomUUID()}`;
  return app.putAccount.execute({
    id,
    email: `${id}@example.org`,
    displayName: 'Ada',
    permissions: ['systems:read', 'systems:write', 'systems:delete'],
    ...(part.password === undefined ? { passwordHash: CHEAP_HASH } : {}),
    ...part,
  });
}

export function createKey(app: Application, ownerId: string, part: Partial<CreateApiKeyCommand> = {}) {
  const order = { name: 'CI', access: 'read-and-write', expiresInDays: 1, password: PASSWORD } as const;
  return app.createApiKey.execute({ ...order, ownerId, idempotencyKey: undefined, ...part }, client());
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

/** What a call came to: its value's `ok`, or the code of its error. */
export async function outcomeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'ok',
    (error: { code?: string; message?: string }) => error.code ?? String(error.message),
  );
}

/** How often each outcome came about. */
export async function tally(calls: readonly Promise<unknown>[]): Promise<Record<string, number>> {
  const outcomes = await Promise.all(calls.map(outcomeOf));
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

export function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
