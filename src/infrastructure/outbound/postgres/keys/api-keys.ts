import type { EntityManager } from 'typeorm';
import type { PageRequest } from '../../../../application/page.js';
import { ApiKeys } from '../../../../application/ports.js';
import type { KeyList, ReadKey } from '../../../../application/listed-key.js';
import type { ApiKey } from '../../../../domain/keys/api-key.js';
import type { ApiKeyStatus } from '../../../../domain/keys/key-status.js';
import { isKeyId } from '../../../../domain/keys/key-id.js';
import { decodeCursor, pageOf } from '../tables/cursor.js';
import { databaseNow, NOW, type Database } from '../connection/database.js';
import { toApiKey } from '../tables/mapping.js';
import { ApiKeyRow, ApiKeyUsageRow } from '../tables/rows.js';

/** The domain's `statusAt` in SQL; the spec beside this file holds one to the other. */
const STATUS: Readonly<Record<ApiKeyStatus, string>> = {
  active: 'key.revoked_at IS NULL AND key.expired_at IS NULL AND key.expires_at > :now',
  expired: '(key.expired_at IS NOT NULL OR (key.revoked_at IS NULL AND key.expires_at <= :now))',
  revoked: 'key.revoked_at IS NOT NULL',
};

export class PostgresApiKeys extends ApiKeys {
  constructor(private readonly database: Database) {
    super();
  }

  async find(id: string): Promise<ApiKey | undefined> {
    const row = await this.database.run((manager) => manager.findOneBy(ApiKeyRow, { id }));
    return row ? toApiKey(row) : undefined;
  }

  async findByPublicPart(publicPart: string): Promise<ApiKey | undefined> {
    const row = await this.database.run((manager) => manager.findOneBy(ApiKeyRow, { publicPart }));
    return row ? toApiKey(row) : undefined;
  }

  findOwn(ownerId: string, id: string): Promise<ReadKey | undefined> {
    return this.database.run(async (manager) => {
      const now = await databaseNow(manager);
      const row = await ofOwner(manager, ownerId).andWhere('key.id = :id', { id }).getOne();
      if (!row) return undefined;
      const usage = await lastUses(manager, [row]);
      return { key: toApiKey(row), lastUsedAt: usage.get(id) ?? null, now };
    });
  }

  list(ownerId: string, status: ApiKeyStatus | undefined, page: PageRequest): Promise<KeyList> {
    return this.database.run(async (manager) => {
      const now = await databaseNow(manager);
      const rows = await keysOf(manager, ownerId, status, page, now);
      const { items, nextCursor } = pageOf(rows, page.limit, (row) => [row.createdAt.toISOString(), row.id]);
      const usage = await lastUses(manager, items);
      return {
        now,
        activeKeys: await ofOwner(manager, ownerId).andWhere(STATUS.active, { now }).getCount(),
        items: items.map((row) => ({ key: toApiKey(row), lastUsedAt: usage.get(row.id) ?? null })),
        nextCursor,
      };
    });
  }

  async recordExpiries(scope: { keyId: string } | { ownerId: string }): Promise<void> {
    const [column, value] = 'keyId' in scope ? ['id', scope.keyId] : ['owner_id', scope.ownerId];
    await this.record(`SELECT id FROM api_keys WHERE ${column} = $1 AND ${DUE} ORDER BY id FOR NO KEY UPDATE`, value);
  }

  async sweepExpiries(limit: number): Promise<number> {
    return this.record(
      `SELECT id FROM api_keys WHERE ${DUE} ORDER BY expires_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED`,
      limit,
    );
  }

  /** One statement, so that expiry and event commit together; a second call finds nothing due. */
  private async record(due: string, parameter: string | number): Promise<number> {
    const recorded = await this.database.run((manager) =>
      manager.query<unknown[]>(
        `WITH due AS (${due}),
          expired AS (
            UPDATE api_keys SET expired_at = ${NOW}
            FROM due WHERE api_keys.id = due.id AND ${DUE}
            RETURNING api_keys.id, owner_id
          )
        INSERT INTO audit_events (type, owner_id, key_id)
        SELECT 'api_key.expired', owner_id, id FROM expired RETURNING id`,
        [parameter],
      ),
    );
    return recorded.length;
  }
}

/** `isExpiryDue`, likewise. */
const DUE = `revoked_at IS NULL AND expired_at IS NULL AND expires_at <= clock_timestamp()`;

function ofOwner(manager: EntityManager, ownerId: string) {
  const keys = manager.createQueryBuilder(ApiKeyRow, 'key');
  return keys.where('key.owner_id = :ownerId AND NOT key.purged', { ownerId });
}

/** One more than the page holds, to know whether another follows. */
function keysOf(
  manager: EntityManager,
  ownerId: string,
  status: ApiKeyStatus | undefined,
  { limit, cursor }: PageRequest,
  now: Date,
): Promise<ApiKeyRow[]> {
  const query = ofOwner(manager, ownerId);
  if (status) query.andWhere(STATUS[status], { now });
  if (cursor !== undefined) {
    const [createdAt, id] = decodeCursor(cursor, isKeyPosition);
    query.andWhere('(key.created_at, key.id) < (:createdAt::timestamptz, :id::uuid)', { createdAt, id });
  }
  return query
    .orderBy('key.created_at', 'DESC')
    .addOrderBy('key.id', 'DESC')
    .limit(limit + 1)
    .getMany();
}

async function lastUses(manager: EntityManager, keys: readonly ApiKeyRow[]): Promise<Map<string, Date>> {
  const ids = keys.map(({ id }) => id);
  const rows = await manager
    .createQueryBuilder(ApiKeyUsageRow, 'usage')
    .where('usage.key_id = ANY(:ids)', { ids })
    .getMany();
  return new Map(rows.map(({ keyId, lastUsedAt }) => [keyId, lastUsedAt]));
}

/** Exactly what `pageOf` was given: JavaScript reads more dates than PostgreSQL does. */
function isKeyPosition(position: readonly string[]): position is [string, string] {
  const [createdAt = '', id = ''] = position;
  const at = /^[12]\d{3}-.*Z$/.test(createdAt) ? new Date(createdAt) : new Date(Number.NaN);
  const isMoment = !Number.isNaN(at.getTime()) && at.toISOString() === createdAt;
  return position.length === 2 && isMoment && isKeyId(id);
}
