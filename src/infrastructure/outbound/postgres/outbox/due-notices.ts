import { Any, type EntityManager } from 'typeorm';
import type { DueNotices } from '../../../../application/ports.js';
import type { ApiKey } from '../../../../domain/keys/api-key.js';
import { dueExpiryNotice } from '../../../../domain/notices/coming-expiry.js';
import type { KeyNotice } from '../../../../domain/notices/key-notice.js';
import { isRotationUnused } from '../../../../domain/notices/rotation-unused.js';
import { DAY_MS } from '../../../../domain/time.js';
import { databaseNow, type Database } from '../client/database.js';
import { toApiKey } from '../keys/mapping.js';
import { ApiKeyRow } from '../keys/rows.js';
import { ToldNoticesRow } from './rows.js';
import { EXPIRIES, TOLD_EXPIRY, TOLD_ROTATION, UNUSED_ROTATIONS } from './due-notices-sql.js';
import type { OutboxWriter } from './outbox-writer.js';

/**
 * A key is told of under its lock, which whoever tells of it takes, with what has been told read once it is held: so
 * each notice is told once, however many instances look.
 */
export class PostgresDueNotices implements DueNotices {
  constructor(
    private readonly database: Database,
    private readonly outbox: OutboxWriter,
  ) {}

  tellComingExpiries(noticeDays: readonly number[], day: number, limit: number): Promise<number> {
    const fewest = Math.min(...noticeDays.filter((days) => days >= day));
    return this.database.transaction(async (manager) => {
      const now = await databaseNow(manager);
      const [from, to] = [day - 1, day].map((days) => new Date(now.getTime() + days * DAY_MS));
      const ids = await lock(manager, EXPIRIES, [from, to, fewest, limit]);
      const told = new Map((await manager.findBy(ToldNoticesRow, { keyId: Any(ids) })).map((row) => [row.keyId, row]));
      const due = (await keysOf(manager, ids)).flatMap((key) => {
        const dueDays = dueExpiryNotice(key.snapshot(), noticeDays, told.get(key.id)?.expiryDays ?? undefined, now);
        return dueDays === undefined ? [] : [{ key, dueDays }];
      });
      if (due.length === 0) return 0;
      await manager.query(TOLD_EXPIRY, [due.map(({ key }) => key.id), due.map(({ dueDays }) => dueDays)]);
      await this.outbox.write(
        manager,
        due.map(({ key }) => ({ type: 'api_key.expiring', key })),
      );
      return due.length;
    });
  }

  tellUnusedRotations(limit: number): Promise<number> {
    return this.database.transaction(async (manager) => {
      const now = await databaseNow(manager);
      const ids = await lock(manager, UNUSED_ROTATIONS, [now, limit]);
      const told = await manager.findBy(ToldNoticesRow, { keyId: Any(ids), rotationUnused: true });
      const untold = ids.filter((id) => !told.some(({ keyId }) => keyId === id));
      const successors = await keysOf(manager, untold);
      const replaced = await keysOf(
        manager,
        successors.map((key) => key.replaces!),
      );
      const notices = successors.flatMap((key): KeyNotice[] => {
        const before = replaced.find(({ id }) => id === key.replaces);
        if (!before || !isRotationUnused(key, before, now)) return [];
        return [{ type: 'api_key.rotation_unused', key, replacesKeyId: before.id }];
      });
      if (notices.length === 0) return 0;
      await manager.query(TOLD_ROTATION, [notices.map(({ key }) => key.id)]);
      await this.outbox.write(manager, notices);
      return notices.length;
    });
  }
}

/** Passes over keys that another transaction is at: they are looked at the next time. */
async function lock(manager: EntityManager, statement: string, parameters: unknown[]): Promise<string[]> {
  const rows = await manager.query<{ id: string }[]>(statement, parameters);
  return rows.map(({ id }) => id);
}

async function keysOf(manager: EntityManager, ids: readonly string[]): Promise<ApiKey[]> {
  return (await manager.findBy(ApiKeyRow, { id: Any(ids) })).map(toApiKey);
}
