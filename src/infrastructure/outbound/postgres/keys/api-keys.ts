import { Any, type EntityManager } from 'typeorm';
import type { PageRequest, KeyList, ReadKey } from '../../../../application/lists.js';
import type { ApiKeys } from '../../../../application/ports.js';
import type { ApiKey } from '../../../../domain/keys/api-key.js';
import type { ApiKeyStatus } from '../../../../domain/keys/key-status.js';
import { isKeyId } from '../../../../domain/keys/key-id.js';
import { decodeCursor, pageOf } from '../client/cursor.js';
import { databaseNow, type Database } from '../client/database.js';
import { listedKeys } from './listed-keys.js';
import { toApiKey } from './mapping.js';
import { ApiKeyRow } from './rows.js';
import { hasStatus } from './key-status-sql.js';

export class PostgresApiKeys implements ApiKeys {
  /** @param endsIdleKeys whether lists show when a key ends unless it is used */
  constructor(
    private readonly database: Database,
    private readonly endsIdleKeys: boolean,
  ) {}

  async find(id: string): Promise<ApiKey | undefined> {
    const row = await this.database.run((manager) => manager.findOneBy(ApiKeyRow, { id }));
    return row ? toApiKey(row) : undefined;
  }

  async findByPublicParts(publicParts: readonly string[]): Promise<ApiKey[]> {
    const rows = await this.database.run((manager) => manager.findBy(ApiKeyRow, { publicPart: Any(publicParts) }));
    return rows.map(toApiKey);
  }

  findOwn(ownerId: string, id: string): Promise<ReadKey | undefined> {
    return this.database.run(async (manager) => {
      const now = await databaseNow(manager);
      const row = await ofOwner(manager, ownerId).andWhere('key.id = :id', { id }).getOne();
      if (!row) return undefined;
      const [listed] = await listedKeys(manager, [toApiKey(row)], { now, endsIdleKeys: this.endsIdleKeys });
      return { ...listed!, now };
    });
  }

  list(ownerId: string, status: ApiKeyStatus | undefined, page: PageRequest): Promise<KeyList> {
    return this.database.run(async (manager) => {
      const now = await databaseNow(manager);
      const rows = await keysOf(manager, ownerId, status, page, now);
      const { items, nextCursor } = pageOf(rows, page.limit, (row) => [row.createdAt.toISOString(), row.id]);
      return {
        now,
        activeKeys: (await countActive(manager, [ownerId], now)).get(ownerId) ?? 0,
        items: await listedKeys(manager, items.map(toApiKey), { now, endsIdleKeys: this.endsIdleKeys }),
        nextCursor,
      };
    });
  }
}

function ofOwner(manager: EntityManager, ownerId: string) {
  const keys = manager.createQueryBuilder(ApiKeyRow, 'key');
  return keys.where('key.owner_id = :ownerId AND NOT key.purged', { ownerId });
}

/**
 * By owner; those without an active key are left out. Counts as `OwnerKeys` does: a key does not count while the key that
 * it replaces is active.
 */
export async function countActive(
  manager: EntityManager,
  ownerIds: readonly string[],
  now: Date,
): Promise<Map<string, number>> {
  const predecessor = manager.createQueryBuilder(ApiKeyRow, 'old').select('1').where('old.id = key.replaces');
  const counts = await manager
    .createQueryBuilder(ApiKeyRow, 'key')
    .select(['key.owner_id AS id', 'count(*)::integer AS active'])
    .where('key.owner_id = ANY(:ownerIds) AND NOT key.purged', { ownerIds })
    .andWhere(hasStatus('active', 'key'), { now })
    // Without the first condition, PostgreSQL compares each key with every other while it has no statistics of the table.
    .andWhere(`(key.replaces IS NULL OR NOT EXISTS (${predecessor.andWhere(hasStatus('active', 'old')).getQuery()}))`)
    .groupBy('key.owner_id')
    .getRawMany<{ id: string; active: number }>();
  return new Map(counts.map(({ id, active }) => [id, active]));
}

/** Reads one key more than the page holds, to know whether another page follows. */
function keysOf(
  manager: EntityManager,
  ownerId: string,
  status: ApiKeyStatus | undefined,
  { limit, cursor }: PageRequest,
  now: Date,
): Promise<ApiKeyRow[]> {
  const query = ofOwner(manager, ownerId);
  if (status) query.andWhere(hasStatus(status, 'key'), { now });
  if (cursor !== undefined) {
    const [createdAt, id] = decodeCursor(cursor, isKeyPosition);
    query.andWhere('(key.created_at, key.id) < (:createdAt::timestamptz, :id::uuid)', { createdAt, id });
  }
  query.orderBy('key.created_at', 'DESC').addOrderBy('key.id', 'DESC');
  return query.limit(limit + 1).getMany();
}

/** Accepts only what `pageOf` was given. JavaScript parses more date formats than PostgreSQL does. */
function isKeyPosition(position: readonly string[]): position is [string, string] {
  const [createdAt = '', id = ''] = position;
  const at = /^[12]\d{3}-.*Z$/.test(createdAt) ? new Date(createdAt) : new Date(Number.NaN);
  const isMoment = !Number.isNaN(at.getTime()) && at.toISOString() === createdAt;
  return position.length === 2 && isMoment && isKeyId(id);
}
