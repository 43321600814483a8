import { randomBytes, randomUUID } from 'node:crypto';
import type { Owner } from '#test/support/callers/owners.js';
import type { Service } from '#test/support/processes/service.js';
import { sql } from '#test/support/stores/sql.js';

/** A stored key with a past. Nobody has its secret. */
export interface KeyRow {
  readonly name: string;
  readonly access?: 'read-only' | 'read-and-write';
  readonly createdDaysAgo?: number;
  /** Less than zero: expired. */
  readonly expiresInDays?: number;
  readonly revokedDaysAgo?: number;
  readonly usedMinutesAgo?: number;
  /** Set for a key that replaces the next one in the list. */
  readonly graceSeconds?: number;
  /** Set for a key whose successor is in use. */
  readonly endsInHours?: number;
  /** Set for a key that ends unless it is used. */
  readonly idleEndsInDays?: number;
  /** The 12 hex characters of the key that the list shows. */
  readonly shown?: string;
  readonly note?: string;
  /** The id of who made it. Default: the owner. */
  readonly createdBy?: string;
  /** Of a revoked key, as on the audit trail. */
  readonly revokedReason?: string;
  readonly leak?: { readonly source: string | null; readonly url: string | null };
  /** The requests of some days. */
  readonly use?: readonly { readonly daysAgo: number; readonly granted: number; readonly refused: number }[];
}

export interface EventRow {
  readonly type: string;
  readonly minutesAgo: number;
  readonly keyName?: string;
  readonly reason?: string;
  readonly details?: object;
  readonly count?: number;
  readonly clientIp?: string;
  readonly userAgent?: string;
}

/** @param keys newest first */
export async function putKeys(service: Service, owner: Pick<Owner, 'id'>, keys: readonly KeyRow[]): Promise<void> {
  const ids = keys.map(() => randomUUID());
  const rows = keys.map((key, index) => ({
    id: ids[index],
    replaces: key.graceSeconds === undefined ? null : ids[index + 1],
    replaced_by: keys[index - 1]?.graceSeconds === undefined ? null : ids[index - 1],
    grace: key.graceSeconds ?? null,
    ends: key.endsInHours ?? null,
    idle: key.idleEndsInDays ?? null,
    public_part: (key.shown ?? randomBytes(6).toString('hex')) + randomBytes(6).toString('hex'),
    name: key.name,
    access: key.access ?? 'read-only',
    created: key.createdDaysAgo ?? 100 + index,
    expires: key.expiresInDays ?? 80,
    revoked: key.revokedDaysAgo ?? null,
    used: key.usedMinutesAgo ?? null,
    note: key.note ?? null,
    maker: key.createdBy ?? null,
    reason: key.revokedReason ?? null,
    leak: key.leak ?? null,
    use: key.use ?? [],
  }));
  await sql(
    service.databaseUrl,
    `WITH given AS (
       SELECT * FROM jsonb_to_recordset($2) AS given(
         id uuid, replaces uuid, replaced_by uuid, grace int, ends float,
         public_part text, name text, access text, created float, expires float, revoked float, used float,
         note text, reason text, leak jsonb, use jsonb, idle float, maker text)
     ), made AS (
       INSERT INTO api_keys (id, owner_id, name, access, key_prefix, public_part, digest, created_at, expires_at, revoked_at,
         expired_at, replaces, replaced_by, grace_seconds, ends_at, note, created_by)
       SELECT id, $1, name, access, 'lk', public_part, sha256(public_part::bytea), now() - created * interval '1 day',
         now() + expires * interval '1 day', now() - revoked * interval '1 day',
         CASE WHEN expires < 0 THEN now() + expires * interval '1 day' END,
         replaces, replaced_by, grace, now() + ends * interval '1 hour', note, maker FROM given
     ), idle AS (
       INSERT INTO idle_notices (key_id, written_at)
       SELECT id, now() + (idle - 7) * interval '1 day' FROM given WHERE idle IS NOT NULL
     ), days AS (
       INSERT INTO api_key_days (key_id, day, granted, refused)
       SELECT id, (now() AT TIME ZONE 'UTC')::date - "daysAgo", granted, refused
       FROM given, jsonb_to_recordset(use) AS day("daysAgo" int, granted int, refused int)
     ), ends AS (
       INSERT INTO audit_events (at, type, owner_id, key_id, reason, details)
       SELECT now() - revoked * interval '1 day', 'api_key.revoked', $1, id, reason, leak::text
       FROM given WHERE reason IS NOT NULL
     )
     INSERT INTO api_key_usage (key_id, last_used_at)
     SELECT id, now() - used * interval '1 minute' FROM given WHERE used IS NOT NULL`,
    [owner.id, JSON.stringify(rows)],
  );
}

interface AddressRow {
  clientIp: string;
  service?: string;
  firstHoursAgo: number;
  /** The last accepted request. */
  lastMinutesAgo?: number;
  denied?: { minutesAgo: number; reason: string; operation?: string; permission?: string | undefined };
}

export interface HistoryRow {
  readonly uses: readonly AddressRow[];
  /** Each day as 2026-03-29. */
  readonly days: readonly { day: string; granted: number; refused: number }[];
}

/** @param shown the characters by which the list shows the key */
export async function putHistory(
  service: Service,
  owner: Pick<Owner, 'id'>,
  shown: string,
  { uses, days }: HistoryRow,
): Promise<void> {
  const key = "(SELECT id FROM api_keys WHERE owner_id = $1 AND public_part LIKE $2 || '%')";
  await sql(
    service.databaseUrl,
    `INSERT INTO api_key_addresses (key_id, client_ip, service, first_at, last_at)
     SELECT ${key}, "clientIp", service, now() - "firstHoursAgo" * interval '1 hour', now() - "lastMinutesAgo" * interval '1 minute'
     FROM jsonb_to_recordset($3) AS given("clientIp" text, service text, "firstHoursAgo" float, "lastMinutesAgo" float)
     WHERE "lastMinutesAgo" IS NOT NULL`,
    [owner.id, shown, JSON.stringify(uses)],
  );
  await sql(
    service.databaseUrl,
    `INSERT INTO api_key_denials (key_id, client_ip, service, first_at, last_at, reason, operation, permission)
     SELECT ${key}, "clientIp", service, now() - "firstHoursAgo" * interval '1 hour',
       now() - (denied->>'minutesAgo')::float * interval '1 minute', denied->>'reason', coalesce(denied->>'operation', 'read'),
       coalesce(denied->>'permission', '')
     FROM jsonb_to_recordset($3) AS given("clientIp" text, service text, "firstHoursAgo" float, denied jsonb)
     WHERE denied IS NOT NULL`,
    [owner.id, shown, JSON.stringify(uses)],
  );
  await sql(
    service.databaseUrl,
    `INSERT INTO api_key_days (key_id, day, granted, refused)
     SELECT ${key}, day, granted, refused
     FROM jsonb_to_recordset($3) AS given(day date, granted int, refused int)`,
    [owner.id, shown, JSON.stringify(days)],
  );
}

/** @param events oldest first, as they happened */
export async function putEvents(service: Service, owner: Owner, events: readonly EventRow[]): Promise<void> {
  await sql(
    service.databaseUrl,
    `INSERT INTO audit_events (at, type, owner_id, key_id, reason, details, count, client_ip, user_agent)
     SELECT now() - "minutesAgo" * interval '1 minute', type, $1::varchar,
       (SELECT id FROM api_keys WHERE owner_id = $1::varchar AND name = "keyName"), reason, details::text, coalesce(count, 1), "clientIp", "userAgent"
     FROM jsonb_to_recordset($2) AS given("minutesAgo" float, type text, "keyName" text, reason text, details jsonb, count int,
       "clientIp" text, "userAgent" text)`,
    [owner.id, JSON.stringify(events)],
  );
}

export const endSessions = (service: Service, owner: Owner) =>
  sql(service.databaseUrl, 'DELETE FROM sessions WHERE account_id = $1', [owner.id]);

/** The number of keys in the database, independent of any screen. */
export async function countKeys(service: Service, owner: Pick<Owner, 'id'>): Promise<{ all: number; active: number }> {
  const [counted] = await sql<{ all: number; active: number }>(
    service.databaseUrl,
    `SELECT count(*)::int AS all, count(*) FILTER (WHERE revoked_at IS NULL AND expires_at > now())::int AS active
     FROM api_keys WHERE owner_id = $1`,
    [owner.id],
  );
  return counted!;
}
