import type { EntityManager, ObjectLiteral } from 'typeorm';
import type { HistoryItem } from '#application/audit-ports.js';
import { ACCOUNT_HISTORY_PREFIX, KEY_HISTORY_TYPES } from '#domain/audit/audit-event.js';
import type { StoredAccount } from '#domain/audit/recorded-account.js';
import type { StoredKey } from '#domain/audit/recorded-rotation.js';
import { AccountRow, rareTerms, statusOf } from '../accounts/account-rows.js';
import { ApiKeyRow } from '../keys/key-rows.js';

/** Rows for each FETCH, which are in memory together. */
const PAGE = 500;

const EVENT =
  'event.id AS event_id, event.type AS event_type, event.owner_id AS event_owner_id, event.actor_id, event.reason, event.details';
const EVENTS = 'SELECT id, type, owner_id, actor_id, key_id, reason, details FROM audit_events WHERE type';

const KEYS = (columns: string) => `
  SELECT ${columns}, coalesce(key.id, event.key_id) AS subject, ${EVENT}, replaced.id IS NOT NULL AS is_successor,
    successors, replaced.expires_at, replaced.revoked_at, replaced.expired_at, replaced.ends_at, replaced.replaced_by
  FROM api_keys key
  LEFT JOIN api_keys replaced ON replaced.id = key.replaces
  LEFT JOIN (SELECT replaces, count(*)::integer AS successors FROM api_keys WHERE replaces IS NOT NULL GROUP BY replaces) rotations
    ON rotations.replaces = key.replaces
  FULL JOIN (${EVENTS} IN (${KEY_HISTORY_TYPES.map((type) => `'${type}'`).join(', ')}) AND key_id IS NOT NULL) event
    ON event.key_id = key.id
  ORDER BY subject, event.id`;

const ACCOUNTS = (columns: string) => `
  SELECT ${columns}, coalesce(account.id, event.owner_id) AS subject, ${EVENT}
  FROM accounts account
  FULL JOIN (${EVENTS} LIKE '${ACCOUNT_HISTORY_PREFIX}%' AND owner_id IS NOT NULL) event ON event.owner_id = account.id
  ORDER BY subject, event.id`;

interface HistoryRow {
  /** Null when only events are left. */
  readonly id: string | null;
  readonly subject: string;
  readonly event_id: string | null;
  readonly event_type: string;
  readonly event_owner_id: string | null;
  readonly actor_id: string | null;
  readonly reason: string | null;
  readonly details: string | null;
}

/** The key that a key replaces. */
interface Replaced {
  readonly is_successor: boolean;
  readonly successors: number;
  readonly expires_at: Date;
  readonly revoked_at: Date | null;
  readonly expired_at: Date | null;
  readonly ends_at: Date | null;
  readonly replaced_by: string | null;
}

export async function* keyHistories(manager: EntityManager): AsyncIterable<HistoryItem<StoredKey>> {
  for await (const row of rowsOf<ApiKeyRow & Replaced>(manager, 'key', KEYS, ApiKeyRow)) {
    const { successors, expires_at: expiresAt, revoked_at: revokedAt, expired_at: expiredAt } = row;
    const replaced = { successors, expiresAt, revokedAt, expiredAt, endsAt: row.ends_at, replacedBy: row.replaced_by };
    yield historyItem(row, { ...row, replaced: row.is_successor ? replaced : undefined });
  }
}

export async function* accountHistories(manager: EntityManager): AsyncIterable<HistoryItem<StoredAccount>> {
  for await (const row of rowsOf<AccountRow>(manager, 'account', ACCOUNTS, AccountRow)) {
    const { permissions, purged } = row;
    yield historyItem(row, { permissions, purged, ...rareTerms(row), status: statusOf(row.status) });
  }
}

function historyItem<T>(row: HistoryRow, stored: T): HistoryItem<T> {
  const { event_id: id, event_type: type, event_owner_id: ownerId, actor_id: actorId, reason, details } = row;
  return {
    id: row.subject,
    stored: row.id === null ? undefined : stored,
    event: id === null ? undefined : { id: BigInt(id), type, ownerId, actorId, reason, details },
  };
}

/**
 * The server sorts the rows, on disk if it has to, and sends one page at a time.
 * @param name of the table in the query
 */
async function* rowsOf<Stored extends object>(
  manager: EntityManager,
  name: string,
  query: (columns: string) => string,
  table: new () => ObjectLiteral,
): AsyncIterable<Omit<HistoryRow, 'id'> & Stored> {
  const cursor = `${name}_histories`;
  const { columns } = manager.connection.getMetadata(table);
  const stored = columns.map(({ databaseName, propertyName }) => `${name}.${databaseName} AS "${propertyName}"`);
  await manager.query(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${query(stored.join(', '))}`);
  for (;;) {
    const rows = await manager.query<(Omit<HistoryRow, 'id'> & Stored)[]>(`FETCH ${PAGE} FROM ${cursor}`);
    yield* rows.map(withValidTimes);
    if (rows.length < PAGE) break;
  }
  await manager.query(`CLOSE ${cursor}`);
}

/** pg returns a number for infinity, which is not a valid time here. */
function withValidTimes<Row extends object>(row: Row): Row {
  const isInfinite = (value: unknown) => value === Infinity || value === -Infinity;
  const values = Object.entries(row).map(([name, value]) => [name, isInfinite(value) ? new Date(NaN) : value]);
  return Object.fromEntries(values) as Row;
}
