import { MigrationExecutor, type DataSource, type QueryRunner } from 'typeorm';
import type { SessionSource } from '../client/data-source.js';

/** Any number will do, as long as every instance takes the same: one migrates, the others wait for it. */
const MIGRATION_LOCK = 5_052_193_861;

/**
 * Applies the migrations that are missing, and answers their names: each in a transaction that holds the lock. So the lock
 * ends with the work, however that ends and whichever connection of a pool it was on.
 */
export async function migrate(dataSource: SessionSource): Promise<string[]> {
  const runner = dataSource.createQueryRunner();
  try {
    const executor = new MigrationExecutor(dataSource, runner);
    const applied: string[] = [];
    for (const missing of await executor.getPendingMigrations()) {
      const work = () => executor.executeMigration(missing);
      if (await underLock(dataSource, runner, missing.name, work)) applied.push(missing.name);
    }
    return applied;
  } finally {
    await runner.release();
  }
}

/** At READ COMMITTED, where the look sees what another instance committed while this one waited for the lock. */
function underLock(
  source: SessionSource,
  runner: QueryRunner,
  name: string,
  work: () => Promise<unknown>,
): Promise<boolean> {
  return source.readCommitted(async () => {
    await runner.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    if ((await appliedMigrations(runner)).includes(name)) return false;
    await work();
    return true;
  }, runner.manager);
}

/** Their names. */
export async function appliedMigrations(on: Pick<DataSource | QueryRunner, 'query'>): Promise<string[]> {
  const [row]: { exists: boolean }[] = await on.query(`SELECT to_regclass('migrations') IS NOT NULL AS exists`);
  if (!row!.exists) return [];
  const applied: { name: string }[] = await on.query('SELECT name FROM migrations');
  return applied.map(({ name }) => name);
}
