import { Any, type EntityManager } from 'typeorm';
import type {
  DueKeys,
  DueScope,
  EndDecision,
  ExpiringKey,
  ExpiryNotice,
  ExpiryWindow,
  UnusedSuccessor,
} from '../../../../application/ports.js';
import type { ApiKey } from '../../../../domain/keys/api-key.js';
import type { KeyNotice } from '../../../../domain/notices/key-notice.js';
import { DAY_MS } from '../../../../domain/time.js';
import { fromAuditEvent } from '../audit/mapping.js';
import { AuditEventRow } from '../audit/rows.js';
import { databaseNow, type Database } from '../client/database.js';
import type { OutboxWriter } from '../outbox/outbox-writer.js';
import { ToldNoticesRow } from '../outbox/rows.js';
import {
  dueIn,
  EXPIRING,
  KEEP_EXPIRY_NOTICES,
  KEEP_ROTATION_NOTICES,
  lockDueIn,
  lockOldestDue,
  SAVE_ENDS,
  UNUSED_SUCCESSORS,
} from './due-keys-sql.js';
import { toApiKey } from './mapping.js';
import { ApiKeyRow } from './rows.js';

/**
 * Locks the rows of the keys, so that only one instance at a time decides on an end or a notice. Which notices were
 * already written is read after that.
 */
export class PostgresDueKeys implements DueKeys {
  constructor(
    private readonly database: Database,
    private readonly outbox: OutboxWriter,
  ) {}

  async end(scope: DueScope, decide: EndDecision): Promise<number> {
    // Usually no key is due, and one statement shows that.
    const isAny = await this.database.run((manager) => dueIn(manager, scope).getExists());
    return isAny ? this.endLocked((manager) => lockDueIn(manager, scope), decide) : 0;
  }

  endOldest(limit: number, decide: EndDecision): Promise<number> {
    return this.endLocked((manager) => lockOldestDue(manager, limit), decide);
  }

  private endLocked(lock: (manager: EntityManager) => Promise<ApiKeyRow[]>, decide: EndDecision): Promise<number> {
    return this.database.transaction(async (manager) => {
      const rows = await lock(manager);
      if (rows.length === 0) return 0;
      const { keys, events, notices } = decide(rows.map(toApiKey), await databaseNow(manager));
      const states = keys.map((key) => key.snapshot());
      await manager.query(SAVE_ENDS, [
        states.map(({ id }) => id),
        states.map(({ revokedAt }) => revokedAt),
        states.map(({ expiredAt }) => expiredAt),
      ]);
      await manager.insert(
        AuditEventRow,
        events.map(({ event, ownerId }) => fromAuditEvent(event, ownerId)),
      );
      await this.outbox.write(manager, notices);
      return keys.length;
    });
  }

  notifyOfExpiry(
    { day, noticeDays, limit }: ExpiryWindow,
    decide: (due: readonly ExpiringKey[], now: Date) => readonly ExpiryNotice[],
  ): Promise<number> {
    return this.database.transaction(async (manager) => {
      const now = await databaseNow(manager);
      const [from, to] = [day - 1, day].map((days) => new Date(now.getTime() + days * DAY_MS));
      const ids = await lockIds(manager, EXPIRING, [from, to, noticeDays, limit]);
      const notified = new Map((await notifiedOf(manager, ids)).map(({ keyId, expiryDays }) => [keyId, expiryDays]));
      const keys = await keysOf(manager, ids);
      const due = keys.map((key) => ({ key, notifiedDays: notified.get(key.id) ?? undefined }));
      const decided = decide(due, now);
      if (decided.length === 0) return 0;
      await manager.query(KEEP_EXPIRY_NOTICES, [
        decided.map(({ notice }) => notice.key.id),
        decided.map(({ notifiedDays }) => notifiedDays),
      ]);
      await this.outbox.write(
        manager,
        decided.map(({ notice }) => notice),
      );
      return decided.length;
    });
  }

  notifyOfUnusedRotation(
    limit: number,
    decide: (due: readonly UnusedSuccessor[], now: Date) => readonly KeyNotice[],
  ): Promise<number> {
    return this.database.transaction(async (manager) => {
      const now = await databaseNow(manager);
      const ids = await lockIds(manager, UNUSED_SUCCESSORS, [now, limit]);
      const notified = new Set(
        (await notifiedOf(manager, ids)).filter((row) => row.rotationUnused).map(({ keyId }) => keyId),
      );
      const successors = await keysOf(manager, ids);
      const replaced = await keysOf(
        manager,
        successors.map((key) => key.replaces!),
      );
      const due = successors.map((successor) => ({
        successor,
        replaced: replaced.find(({ id }) => id === successor.replaces)!,
        isNotified: notified.has(successor.id),
      }));
      const notices = decide(due, now);
      if (notices.length === 0) return 0;
      await manager.query(KEEP_ROTATION_NOTICES, [notices.map(({ key }) => key.id)]);
      await this.outbox.write(manager, notices);
      return notices.length;
    });
  }
}

async function lockIds(manager: EntityManager, statement: string, parameters: unknown[]): Promise<string[]> {
  const rows = await manager.query<{ id: string }[]>(statement, parameters);
  return rows.map(({ id }) => id);
}

function notifiedOf(manager: EntityManager, ids: readonly string[]): Promise<ToldNoticesRow[]> {
  return manager.findBy(ToldNoticesRow, { keyId: Any(ids) });
}

async function keysOf(manager: EntityManager, ids: readonly string[]): Promise<ApiKey[]> {
  return (await manager.findBy(ApiKeyRow, { id: Any(ids) })).map(toApiKey);
}
