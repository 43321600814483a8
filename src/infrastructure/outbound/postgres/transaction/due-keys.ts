import { Any, type EntityManager } from 'typeorm';
import type { DueKeys, DueNoticesQuery, EndDecision, NoticeDecision } from '../../../../application/ports.js';
import type { ApiKey } from '../../../../domain/keys/api-key.js';
import { fromAuditEvent } from '../audit/mapping.js';
import { AuditEventRow } from '../audit/rows.js';
import { databaseNow, type Database } from '../client/database.js';
import { insertMany, updateMany } from '../client/many-rows.js';
import type { OutboxWriter } from '../outbox/outbox-writer.js';
import { findDue, lockCandidates, lockOldestDue, lockOpen, SAVE_NOTICES } from './due-keys-sql.js';
import { changingColumns, toApiKey } from '../keys/mapping.js';
import { ApiKeyRow, KeyNoticeRow } from '../keys/rows.js';

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
    const due = await this.database.run((manager) => findDue(manager, ownerId, readAt));
    return due.map(({ id }) => id);
  }

  end(keyId: string, decide: EndDecision): Promise<number> {
    return this.endLocked((manager) => lockOpen(manager, keyId), decide);
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
      const keys = await keysOf(manager, ids);
      const replaced = await keysOf(
        manager,
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

async function keysOf(manager: EntityManager, ids: readonly string[]): Promise<ApiKey[]> {
  return (await manager.findBy(ApiKeyRow, { id: Any(ids) })).map(toApiKey);
}
