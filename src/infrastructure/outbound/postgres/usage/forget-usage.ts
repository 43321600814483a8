import type { EntityManager } from 'typeorm';
import { lockUsage } from './usage-lock.js';

const TABLES = ['api_key_usage', 'api_key_addresses', 'api_key_days', 'api_key_networks'];

/** Deletes what the keys of a purged account did, once they are marked as purged: none of it is written again. */
export async function forgetUsage(manager: EntityManager, ownerId: string): Promise<void> {
  await lockUsage(manager, 'purge');
  for (const table of TABLES) {
    await manager.query(
      `DELETE FROM ${table} WHERE key_id IN (SELECT id FROM api_keys WHERE owner_id = $1 AND purged)`,
      [ownerId],
    );
  }
}
