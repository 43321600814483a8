import type { EntityManager } from 'typeorm';
import type { KeyFilter, KeyPosition, OwnedKey } from '#application/lists.js';
import type { ApiKeys, KeyCounts, KeyList } from '#application/key-ports.js';
import type { ApiKey } from '#domain/keys/api-key.js';
import { toAccount } from '../accounts/account-rows.js';
import { HANDLED_KEPT } from '#domain/keys/key-rules.js';
import { databaseNow, type Database } from '../client/database.js';
import { keyPage, withOwners } from './key-page.js';
import { activeAt } from './key-status-sql.js';
import { listedKeys } from './listed-keys.js';
import { keysBy, toApiKey } from './key-rows.js';

const MARK_HANDLED = `
  UPDATE api_keys SET handled = (
    SELECT marks[greatest(1, cardinality(marks) - $4::integer + 1):]
    FROM (SELECT array_append(array_remove(coalesce(handled, '{}'), $3::text), $3::text) AS marks) marked)
  WHERE id = $1 AND owner_id = $2 AND NOT purged`;

/** Counts as `OwnerKeys` does: a key does not count while the key that it replaces is active. */
const COUNT = `
  SELECT count(*) FILTER (WHERE ${activeAt('key', '$2')} AND old.id IS NULL)::integer AS "activeKeys",
    count(*) FILTER (WHERE NOT ${activeAt('key', '$2')})::integer AS "endedKeys"
  FROM api_keys key LEFT JOIN api_keys old ON old.id = key.replaces AND ${activeAt('old', '$2')}
  WHERE key.owner_id = $1 AND NOT key.purged`;

export class PostgresApiKeys implements ApiKeys {
  /** @param endsIdleKeys whether lists show when a key ends unless it is used */
  constructor(
    private readonly database: Database,
    private readonly endsIdleKeys: boolean,
  ) {}

  async find(id: string): Promise<ApiKey | undefined> {
    const [key] = await this.database.run((manager) => keysBy(manager, 'id', [id]));
    return key;
  }

  findByPublicParts(publicParts: readonly string[]): Promise<ApiKey[]> {
    return this.database.run((manager) => keysBy(manager, 'publicPart', publicParts));
  }

  async findListed(id: string, ownerId?: string): Promise<OwnedKey | undefined> {
    const { items } = await this.read((manager) => {
      const query = withOwners(manager).where('key.id = :id AND NOT key.purged', { id });
      return ownerId === undefined ? query : query.andWhere('key.owner_id = :ownerId', { ownerId });
    });
    return items[0];
  }

  list(filter: KeyFilter, after: KeyPosition | undefined, limit: number): Promise<KeyList> {
    return this.read((manager, now) => keyPage(manager, filter, { after, limit, now }));
  }

  async markHandled(id: string, ownerId: string, mark: string): Promise<void> {
    await this.database.run((manager) => manager.query(MARK_HANDLED, [id, ownerId, mark, HANDLED_KEPT]));
  }

  async count(ownerId: string, at: Date): Promise<KeyCounts> {
    const [counts] = await this.database.run((manager) => manager.query<KeyCounts[]>(COUNT, [ownerId, at]));
    return counts!;
  }

  private read(query: (manager: EntityManager, now: Date) => ReturnType<typeof withOwners>): Promise<KeyList> {
    return this.database.run(async (manager) => {
      const now = await databaseNow(manager);
      const rows = await query(manager, now).getMany();
      const listed = await listedKeys(manager, rows.map(toApiKey), { now, endsIdleKeys: this.endsIdleKeys });
      return { now, items: listed.map((key, index) => ({ ...key, owner: toAccount(rows[index]!.owner!) })) };
    });
  }
}
