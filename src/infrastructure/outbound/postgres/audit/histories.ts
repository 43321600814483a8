import type { EntityManager } from 'typeorm';
import type { HistoryItem } from '../../../../application/audit/audit-trail.js';
import { ACCOUNT_HISTORY_PREFIX, KEY_HISTORY_TYPES } from '../../../../domain/audit/audit-event.js';
import type { StoredAccount } from '../../../../domain/audit/recorded-account.js';
import type { StoredKey } from '../../../../domain/audit/recorded-key.js';

/** Rows for each FETCH, which are in memory together. */
const PAGE = 500;

const EVENT = 'event.id AS event_id, event.type, event.owner_id AS event_owner_id, event.details';
const EVENTS = 'SELECT id, type, owner_id, key_id, details FROM audit_events WHERE type';

const KEYS = `
  SELECT coalesce(key.id, event.key_id) AS subject, key.id IS NOT NULL AS is_stored, key.owner_id, access, public_part, digest,
    created_at, expires_at, revoked_at, expired_at, ${EVENT}
  FROM api_keys key
  FULL JOIN (${EVENTS} IN (${KEY_HISTORY_TYPES.map((type) => `'${type}'`).join(', ')}) AND key_id IS NOT NULL) event
    ON event.key_id = key.id
  ORDER BY subject, event.id`;

const ACCOUNTS = `
  SELECT coalesce(account.id, event.owner_id) AS subject, account.id IS NOT NULL AS is_stored, permissions, status, ${EVENT}
  FROM accounts account
  FULL JOIN (${EVENTS} LIKE '${ACCOUNT_HISTORY_PREFIX}%' AND owner_id IS NOT NULL) event ON event.owner_id = account.id
  ORDER BY subject, event.id`;

interface HistoryRow {
  readonly subject: string;
  readonly is_stored: boolean;
  readonly event_id: string | null;
  readonly type: string;
  readonly event_owner_id: string | null;
  readonly details: string | null;
}

interface KeyHistoryRow extends HistoryRow {
  readonly owner_id: string;
  readonly access: StoredKey['access'];
  readonly public_part: string;
  readonly digest: Buffer;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly revoked_at: Date | null;
  readonly expired_at: Date | null;
}

export async function* keyHistories(manager: EntityManager): AsyncIterable<HistoryItem<StoredKey>> {
  for await (const row of rowsOf<KeyHistoryRow>(manager, 'key_histories', KEYS)) {
    yield historyItem(row, {
      ownerId: row.owner_id,
      access: row.access,
      publicPart: row.public_part,
      digest: row.digest,
      createdAt: date(row.created_at),
      expiresAt: date(row.expires_at),
      revokedAt: row.revoked_at && date(row.revoked_at),
      expiredAt: row.expired_at && date(row.expired_at),
    });
  }
}

export async function* accountHistories(manager: EntityManager): AsyncIterable<HistoryItem<StoredAccount>> {
  const rows = rowsOf<HistoryRow & StoredAccount>(manager, 'account_histories', ACCOUNTS);
  for await (const row of rows) yield historyItem(row, { permissions: row.permissions, status: row.status });
}

function historyItem<T>(row: HistoryRow, stored: T): HistoryItem<T> {
  const { event_id: id, type, event_owner_id: ownerId, details } = row;
  return {
    id: row.subject,
    stored: row.is_stored ? stored : undefined,
    event: id === null ? undefined : { id: BigInt(id), type, ownerId, details },
  };
}

/** pg returns a number for infinity, which is not a valid time here. */
function date(value: Date | number): Date {
  return value instanceof Date ? value : new Date(Number.NaN);
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
