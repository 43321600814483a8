import type { IdleKeys } from '#application/key-ports.js';
import { CHECKS_APART_MS, NOTICE_MS } from '#domain/notices/idle-keys.js';
import { DAY_MS } from '#domain/time.js';
import { ACTIVE } from '../accounts/account-rows.js';
import { databaseNow, type Database } from '../client/database.js';
import { openKey } from './key-status-sql.js';

/** Keys that one statement reads by the index of open keys. A million takes 200 statements. */
const PAGE = 5000;

/** $1 is the time before which the keys were made and last used, $2 and $3 the place of the page before. */
const UNUSED = `
  WITH page AS MATERIALIZED (
    SELECT key.id, key.created_at, key.owner_id FROM api_keys key
    WHERE ${openKey('key')} AND NOT key.purged AND key.created_at <= $1
      AND (key.created_at, key.id) > ($2::timestamptz, $3::uuid)
    ORDER BY key.created_at, key.id LIMIT ${PAGE})
  SELECT count(*)::integer AS read,
    (SELECT created_at FROM page ORDER BY created_at DESC, id DESC LIMIT 1) AS "createdAt",
    (SELECT id FROM page ORDER BY created_at DESC, id DESC LIMIT 1) AS id,
    array(
      SELECT DISTINCT page.owner_id FROM page
        JOIN accounts owner ON owner.id = page.owner_id AND owner.status IN ${ACTIVE}
        LEFT JOIN api_key_usage used ON used.key_id = page.id
        LEFT JOIN idle_notices notice ON notice.key_id = page.id
      WHERE notice.key_id IS NULL AND coalesce(used.last_used_at <= $1, true) AND coalesce(owner.active_since <= $1, true)
    ) AS "ownerIds"
  FROM page`;

interface UnusedRow {
  readonly read: number;
  readonly createdAt: Date;
  readonly id: string;
  readonly ownerIds: string[];
}

const FIRST = { createdAt: new Date(0), id: '00000000-0000-0000-0000-000000000000' };

/** Owners that one statement finds. */
const OWNERS = 500;

/** $1 is the time before which a notice is to be checked, $2 the same of its first check. */
const NOTICED = `
  SELECT DISTINCT key.owner_id AS "ownerId"
  FROM idle_notices notice
    JOIN api_keys key ON key.id = notice.key_id
    JOIN accounts owner ON owner.id = key.owner_id
    LEFT JOIN api_key_usage used ON used.key_id = notice.key_id
    LEFT JOIN api_key_usage replaced ON replaced.key_id = key.replaces
  WHERE NOT key.purged AND ($3::text IS NULL OR key.owner_id > $3)
    AND (notice.written_at <= $1 AND coalesce(notice.found_idle_at <= $2, true)
      OR greatest(used.last_used_at, replaced.last_used_at, owner.active_since) >= notice.written_at
      OR owner.status NOT IN ${ACTIVE} OR NOT (${openKey('key')}) OR key.replaced_by IS NOT NULL)
  ORDER BY key.owner_id LIMIT ${OWNERS}`;

export class PostgresIdleKeys implements IdleKeys {
  constructor(private readonly database: Database) {}

  async *unused(days: number): AsyncIterable<string> {
    let page: Pick<UnusedRow, 'createdAt' | 'id'> & Partial<UnusedRow> = FIRST;
    do {
      const { createdAt, id } = page;
      page = await this.database.run(async (manager) => {
        const since = new Date((await databaseNow(manager)).getTime() - days * DAY_MS);
        const [row] = await manager.query<UnusedRow[]>(UNUSED, [since, createdAt, id]);
        return row!;
      });
      yield* page.ownerIds!;
    } while (page.read === PAGE);
  }

  async *noticed(): AsyncIterable<string> {
    let page: { ownerId: string }[] = [];
    do {
      const after = page.at(-1)?.ownerId ?? null;
      page = await this.database.run(async (manager) => {
        const nowMs = (await databaseNow(manager)).getTime();
        const before = [NOTICE_MS, CHECKS_APART_MS].map((ms) => new Date(nowMs - ms));
        return manager.query<{ ownerId: string }[]>(NOTICED, [...before, after]);
      });
      for (const { ownerId } of page) yield ownerId;
    } while (page.length === OWNERS);
  }
}
