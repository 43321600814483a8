import type { EntityManager } from 'typeorm';
import type { HistoryItem } from '../../../../application/audit-trail-ports.js';
import { ACCOUNT_HISTORY_PREFIX, KEY_HISTORY_TYPES } from '../../../../domain/audit/audit-event.js';
import type { StoredAccount } from '../../../../domain/audit/recorded-account.js';
import type { StoredKey } from '../../../../domain/audit/recorded-key.js';
import { statusOf, rareTerms } from '../accounts/mapping.js';
import type { AccountRow } from '../accounts/rows.js';
import type { StoredPredecessor } from '../../../../domain/audit/recorded-rotation.js';

/** Rows for each FETCH, which are in memory together. */
const PAGE = 500;

const EVENT =
  'event.id AS event_id, event.type, event.owner_id AS event_owner_id, event.actor_id, event.reason, event.details';
const EVENTS = 'SELECT id, type, owner_id, actor_id, key_id, reason, details FROM audit_events WHERE type';

const KEYS = `
  SELECT coalesce(key.id, event.key_id) AS subject, key.id IS NOT NULL AS is_stored, key.owner_id, key.created_by, key.name, key.note, key.access,
    key.public_part, key.display_prefix, key.digest, key.created_at, key.expires_at, key.permissions, key.allowed_networks, key.revoked_at,
    key.expired_at, key.ends_at, key.replaces, key.replaced_by, key.grace_seconds, key.first_used_at,
    replaced.id IS NOT NULL AS is_replaced_stored,
    replaced.expires_at AS replaced_expires_at, replaced.revoked_at AS replaced_revoked_at,
    replaced.expired_at AS replaced_expired_at, replaced.ends_at AS replaced_ends_at,
    replaced.replaced_by AS replaced_replaced_by, successors, ${EVENT}
  FROM api_keys key
  LEFT JOIN api_keys replaced ON replaced.id = key.replaces
  LEFT JOIN (SELECT replaces, count(*)::integer AS successors FROM api_keys WHERE replaces IS NOT NULL GROUP BY replaces) rotations
    ON rotations.replaces = key.replaces
  FULL JOIN (${EVENTS} IN (${KEY_HISTORY_TYPES.map((type) => `'${type}'`).join(', ')}) AND key_id IS NOT NULL) event
    ON event.key_id = key.id
  ORDER BY subject, event.id`;

const ACCOUNTS = `
  SELECT coalesce(account.id, event.owner_id) AS subject, account.id IS NOT NULL AS is_stored, permissions, limits, attributes, kind,
    managers, status, ${EVENT}
  FROM accounts account
  FULL JOIN (${EVENTS} LIKE '${ACCOUNT_HISTORY_PREFIX}%' AND owner_id IS NOT NULL) event ON event.owner_id = account.id
  ORDER BY subject, event.id`;

interface HistoryRow {
  readonly subject: string;
  readonly is_stored: boolean;
  readonly event_id: string | null;
  readonly type: string;
  readonly event_owner_id: string | null;
  readonly actor_id: string | null;
  readonly reason: string | null;
  readonly details: string | null;
}

interface KeyHistoryRow extends HistoryRow {
  readonly owner_id: string;
  readonly created_by: string | null;
  readonly name: string;
  readonly note: string | null;
  readonly access: StoredKey['access'];
  readonly public_part: string;
  readonly display_prefix: string | null;
  readonly digest: Buffer;
  readonly permissions: string[] | null;
  readonly allowed_networks: string[] | null;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly revoked_at: Date | null;
  readonly expired_at: Date | null;
  readonly ends_at: Date | null;
  readonly replaces: string | null;
  readonly replaced_by: string | null;
  readonly grace_seconds: number | null;
  readonly first_used_at: Date | null;
  readonly is_replaced_stored: boolean;
  readonly replaced_expires_at: Date;
  readonly replaced_revoked_at: Date | null;
  readonly replaced_expired_at: Date | null;
  readonly replaced_ends_at: Date | null;
  readonly replaced_replaced_by: string | null;
  readonly successors: number;
}

export async function* keyHistories(manager: EntityManager): AsyncIterable<HistoryItem<StoredKey>> {
  for await (const row of rowsOf<KeyHistoryRow>(manager, 'key_histories', KEYS)) {
    yield historyItem(row, {
      id: row.subject,
      ownerId: row.owner_id,
      createdBy: row.created_by,
      name: row.name,
      note: row.note,
      access: row.access,
      publicPart: row.public_part,
      displayPrefix: row.display_prefix,
      digest: row.digest,
      permissions: row.permissions,
      allowedNetworks: row.allowed_networks,
      createdAt: date(row.created_at),
      expiresAt: date(row.expires_at),
      revokedAt: dateOrNull(row.revoked_at),
      expiredAt: dateOrNull(row.expired_at),
      endsAt: dateOrNull(row.ends_at),
      replaces: row.replaces,
      replacedBy: row.replaced_by,
      graceSeconds: row.grace_seconds,
      firstUsedAt: dateOrNull(row.first_used_at),
      replaced: row.is_replaced_stored ? replacedIn(row) : undefined,
    });
  }
}

function replacedIn(row: KeyHistoryRow): StoredPredecessor {
  return {
    expiresAt: date(row.replaced_expires_at),
    revokedAt: dateOrNull(row.replaced_revoked_at),
    expiredAt: dateOrNull(row.replaced_expired_at),
    endsAt: dateOrNull(row.replaced_ends_at),
    replacedBy: row.replaced_replaced_by,
    successors: row.successors,
  };
}

export async function* accountHistories(manager: EntityManager): AsyncIterable<HistoryItem<StoredAccount>> {
  const rows = rowsOf<HistoryRow & AccountRow>(manager, 'account_histories', ACCOUNTS);
  for await (const row of rows) {
    const { permissions } = row;
    yield historyItem(row, { permissions, ...rareTerms(row), status: statusOf(row.status) });
  }
}

function historyItem<T>(row: HistoryRow, stored: T): HistoryItem<T> {
  const { event_id: id, type, event_owner_id: ownerId, actor_id: actorId, reason, details } = row;
  return {
    id: row.subject,
    stored: row.is_stored ? stored : undefined,
    event: id === null ? undefined : { id: BigInt(id), type, ownerId, actorId, reason, details },
  };
}

/** pg returns a number for infinity, which is not a valid time here. */
function date(value: Date | number): Date {
  return value instanceof Date ? value : new Date(Number.NaN);
}

function dateOrNull(value: Date | number | null): Date | null {
  return value === null ? null : date(value);
}

/** The server sorts the rows, on disk if it has to, and sends one page at a time. */
async function* rowsOf<Row>(manager: EntityManager, cursor: string, query: string): AsyncIterable<Row> {
  await manager.query(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${query}`);
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop
    const rows = await manager.query<Row[]>(`FETCH ${PAGE} FROM ${cursor}`);
    yield* rows;
    if (rows.length < PAGE) break;
  }
  await manager.query(`CLOSE ${cursor}`);
}
