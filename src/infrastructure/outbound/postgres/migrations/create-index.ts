import type { QueryRunner } from 'typeorm';

export interface Index {
  readonly name: string;
  /** The table, the columns and the condition, as in SQL after ON: `api_keys (owner_id) WHERE revoked_at IS NULL`. */
  readonly on: string;
  readonly isUnique?: boolean;
}

/**
 * Builds an index while the table is read and written. PostgreSQL does that only outside of a transaction, so the
 * migration declares `readonly transaction = false`, and does nothing else. If an earlier attempt was interrupted,
 * its invalid index is dropped and built again.
 */
export async function createIndex(runner: QueryRunner, { name, on, isUnique = false }: Index): Promise<void> {
  const state = 'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)';
  const [existing]: { valid: boolean }[] = await runner.query(state, [name]);
  if (existing?.valid) return;
  if (existing) await runner.query(`DROP INDEX CONCURRENTLY ${name}`);
  // Through a pool, a new database is migrated within a transaction.
  const how = runner.isTransactionActive ? '' : 'CONCURRENTLY';
  await runner.query(`CREATE ${isUnique ? 'UNIQUE ' : ''}INDEX ${how} ${name} ON ${on}`);
}
