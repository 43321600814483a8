import type { EntityManager } from 'typeorm';

/** Any number will do, as long as every instance takes the same. */
const USAGE_LOCK = 5_052_193_863;

/**
 * Flushes go beside each other, and none beside a purge: one that began before is waited for, and one that begins later sees
 * that the keys are purged. Held until the transaction ends.
 */
export async function lockUsage(manager: EntityManager, as: 'flush' | 'purge'): Promise<void> {
  const lock = as === 'flush' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  await manager.query(`SELECT ${lock}($1)`, [USAGE_LOCK]);
}
