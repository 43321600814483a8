import { Any, type EntityManager, type SelectQueryBuilder } from 'typeorm';
import type { DueKeys, DueNoticesQuery, EndDecision, NoticeDecision } from '#application/key-ports.js';
import type { DueNoticeType } from '#domain/notices/key-notice.js';
import { AuditEventRow, fromAuditEvent } from '../audit/audit-rows.js';
import { type Database, databaseNow, insertMany, updateMany } from '../client/database.js';
import type { OutboxWriter } from '../outbox/outbox-writer.js';
import { ApiKeyRow, changingColumns, KeyNoticeRow, keysBy, toApiKey } from '../keys/key-rows.js';
import { ACTIVE } from '../accounts/account-rows.js';
import { activeAt, END_HAS_COME, openKey, TIME_IS_OUT } from '../keys/key-status-sql.js';

/**
 * Locks the rows of the keys, so that only one instance at a time decides on an end or a notice. Which notices were
 * sent before is read after that.
 */
export class PostgresDueKeys implements DueKeys {
  constructor(
    private readonly database: Database,
    private readonly outbox: OutboxWriter,
  ) {}

  async find(ownerId: string, readAt: Date): Promise<string[]> {
    const hasCome = '(key.expires_at <= :readAt OR key.ends_at <= :readAt)';
    const due = await this.database.run((manager) =>
      open(manager).andWhere('key.owner_id = :ownerId', { ownerId }).andWhere(hasCome, { readAt }).getMany(),
    );
    return due.map(({ id }) => id);
  }

  end(keyId: string, decide: EndDecision): Promise<number> {
    const lock = (manager: EntityManager) =>
      open(manager).andWhere('key.id = :keyId', { keyId }).setLock('for_no_key_update').getMany();
    return this.endLocked(lock, decide);
  }

  endOldest(limit: number, decide: EndDecision): Promise<number> {
    return this.endLocked((manager) => lockOldestDue(manager, limit), decide);
  }

  private endLocked(lock: (manager: EntityManager) => Promise<ApiKeyRow[]>, decide: EndDecision): Promise<number> {
    return this.database.transaction(async (manager) => {
      const rows = await lock(manager);
      if (rows.length === 0) return 0;
      const { keys, events, notices } = decide(rows.map(toApiKey), await databaseNow(manager));
      if (keys.length === 0) return 0;
      const changed = keys.map((key) => ({ id: key.id, ...changingColumns(key) }));
      await updateMany(manager, ApiKeyRow, changed);
      const recorded = events.map(({ event, ownerId }) => fromAuditEvent(event, ownerId));
      await insertMany(manager, AuditEventRow, recorded);
      await this.outbox.write(manager, notices);
      return keys.length;
    });
  }

  notify({ type, days, limit }: DueNoticesQuery, decide: NoticeDecision): Promise<number> {
    return this.database.transaction(async (manager) => {
      const now = await databaseNow(manager);
      const locked = await manager.query<{ id: string }[]>(lockCandidates(type), [now, days, type, limit]);
      const ids = locked.map(({ id }) => id);
      const sent = await manager.findBy(KeyNoticeRow, { keyId: Any(ids), type });
      const keys = await keysBy(manager, 'id', ids);
      const replaced = await keysBy(
        manager,
        'id',
        keys.flatMap((key) => key.replaces ?? []),
      );
      const candidates = keys.map((key) => ({
        key,
        replaced: replaced.find(({ id }) => id === key.replaces),
        sentDays: sent.find(({ keyId }) => keyId === key.id)?.days,
      }));
      const due = decide(candidates, now);
      if (due.length === 0) return 0;
      const notices = due.map(({ notice }) => notice);
      await manager.query(SAVE_NOTICES, [type, notices.map(({ key }) => key.id), due.map((each) => each.days)]);
      await this.outbox.write(manager, notices);
      return due.length;
    });
  }
}

type KeyQuery = SelectQueryBuilder<ApiKeyRow>;

function open(manager: EntityManager): KeyQuery {
  return manager.createQueryBuilder(ApiKeyRow, 'key').where(openKey('key'));
}

/**
 * Selects by each of the two times separately, because each has its own index. Skips keys that another instance has
 * locked.
 */
async function lockOldestDue(manager: EntityManager, limit: number): Promise<ApiKeyRow[]> {
  const lock = (most: number, narrow: (keys: KeyQuery) => KeyQuery) =>
    narrow(open(manager)).limit(most).setLock('for_no_key_update').setOnLocked('skip_locked').getMany();
  const expired = await lock(limit, (keys) => keys.andWhere(TIME_IS_OUT).orderBy('key.expires_at'));
  if (expired.length === limit) return expired;
  const locked = expired.map(({ id }) => id);
  const ended = await lock(limit - expired.length, (keys) =>
    keys.andWhere(END_HAS_COME).andWhere('key.id <> ALL(:locked)', { locked }).orderBy('key.ends_at'),
  );
  return [...expired, ...ended];
}

/**
 * The domain's rules in SQL, for an active key of an active owner. $1 is the time, $2 the days of the type; `sent` is
 * the last notice of this type.
 */
const MAY_BE_DUE: Readonly<Record<DueNoticeType, string>> = {
  'api_key.expiring': `
    key.ends_at IS NULL
    AND key.expires_at <= $1::timestamptz + make_interval(hours => 24 * (SELECT max(days) FROM unnest($2::int[]) days))
    AND (SELECT key.expires_at >= key.created_at + make_interval(hours => 48 * min(days))
           AND (sent.days > min(days)) IS NOT FALSE
         FROM unnest($2::int[]) days
         WHERE key.expires_at <= $1::timestamptz + make_interval(hours => 24 * days))`,
  'api_key.rotation_unused': `
    key.replaces IS NOT NULL AND key.first_used_at IS NULL AND sent.key_id IS NULL
    AND key.created_at <= $1::timestamptz - make_interval(hours => 24 * ($2::int[])[1])
    AND EXISTS (SELECT FROM api_keys replaced WHERE replaced.id = key.replaces AND ${activeAt('replaced', '$1')})`,
};

/** Skips keys that another instance has locked. $3 is the type, $4 the limit. */
function lockCandidates(type: DueNoticeType): string {
  return `
    SELECT key.id
    FROM api_keys key
      JOIN accounts owner ON owner.id = key.owner_id AND owner.status IN ${ACTIVE}
      LEFT JOIN key_notices sent ON sent.key_id = key.id AND sent.type = $3
    WHERE ${activeAt('key', '$1')} AND ${MAY_BE_DUE[type]}
    LIMIT $4 FOR NO KEY UPDATE OF key SKIP LOCKED`;
}

export const SAVE_NOTICES = `
  INSERT INTO key_notices (key_id, type, days) SELECT id, $1, days FROM unnest($2::uuid[], $3::smallint[]) AS due (id, days)
  ON CONFLICT (key_id, type) DO UPDATE SET days = excluded.days`;
