import type { EntityManager, SelectQueryBuilder } from 'typeorm';
import { THE_SERVICE } from '../../../../domain/audit/audit-event.js';
import { eventOf } from '../../../../application/keys/save-keys.js';
import { endedByClock, type KeyChange } from '../../../../domain/keys/key-change.js';
import { noticesOfChange } from '../../../../domain/notices/notices-of-change.js';
import { databaseNow, type Database } from '../client/database.js';
import type { OutboxWriter } from '../outbox/outbox-writer.js';
import { fromAuditEvent } from '../audit/mapping.js';
import { AuditEventRow } from '../audit/rows.js';
import { toApiKey } from './mapping.js';
import { ApiKeyRow } from './rows.js';
import { END_HAS_COME, IS_DUE, TIME_IS_OUT } from './key-status-sql.js';

type Keys = SelectQueryBuilder<ApiKeyRow>;
type Narrow = (keys: Keys) => Keys;

const SAVE = `
  UPDATE api_keys SET revoked_at = ended.revoked_at, expired_at = ended.expired_at
  FROM unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[]) AS ended (id, revoked_at, expired_at)
  WHERE api_keys.id = ended.id`;

/** The ends that the clock brings about: each commits with its event, once however many observe it. */
export class DueEnds {
  constructor(
    private readonly database: Database,
    private readonly outbox: OutboxWriter,
  ) {}

  /** In the order of the ids, as everywhere. */
  async record(scope: { keyId: string } | { ownerId: string }): Promise<void> {
    const meant: Narrow = (keys) =>
      'keyId' in scope ? keys.andWhere('key.id = :keyId', scope) : keys.andWhere('key.owner_id = :ownerId', scope);
    // Most often there is none, which one statement shows.
    const isAny = await this.database.run((manager) => meant(due(manager)).getExists());
    if (isAny) await this.recordAll((keys) => meant(keys).orderBy('key.id'));
  }

  /** Passes over those that another is recording. Answers how many. */
  async sweep(limit: number): Promise<number> {
    const expired = await this.sweepBy(TIME_IS_OUT, 'key.expires_at', limit);
    return expired === limit ? limit : expired + (await this.sweepBy(END_HAS_COME, 'key.ends_at', limit - expired));
  }

  private sweepBy(condition: string, time: string, limit: number): Promise<number> {
    return this.recordAll((keys) => keys.andWhere(condition).orderBy(time).limit(limit).setOnLocked('skip_locked'));
  }

  private recordAll(narrow: Narrow): Promise<number> {
    return this.database.transaction(async (manager) => {
      const rows = await narrow(due(manager).setLock('for_no_key_update')).getMany();
      if (rows.length === 0) return 0;
      const now = await databaseNow(manager);
      const changes = rows.map(toApiKey).flatMap((key) => {
        const end = key.endIfDue(now);
        return end ? [endedByClock(key, end)] : [];
      });
      await save(manager, changes);
      await this.outbox.write(
        manager,
        changes.flatMap((change) => noticesOfChange(change, null)),
      );
      return changes.length;
    });
  }
}

function due(manager: EntityManager): Keys {
  return manager.createQueryBuilder(ApiKeyRow, 'key').where(IS_DUE);
}

async function save(manager: EntityManager, changes: readonly KeyChange[]): Promise<void> {
  const states = changes.map(({ key }) => key.snapshot());
  const columns = [states.map(({ id }) => id), states.map((key) => key.revokedAt), states.map((key) => key.expiredAt)];
  await manager.query(SAVE, columns);
  const events = changes.map((change) => fromAuditEvent(eventOf(change, THE_SERVICE)!, change.key.ownerId));
  await manager.insert(AuditEventRow, events);
}
