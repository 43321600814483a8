import { MigrationExecutor, type DataSource, type QueryRunner } from 'typeorm';
import type { SessionSource } from '../client/data-source.js';

/** An arbitrary number, the same on all instances. One instance migrates; the others wait for it. */
const MIGRATION_LOCK = 5_052_193_861;

/**
 * Applies the missing migrations and returns their names. Each migration runs in a transaction that holds the lock. So
 * the lock is released when the transaction ends, whatever its outcome and whichever connection of a pool it used.
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

/**
 * Runs at READ COMMITTED, so that the check sees what another instance committed while this one waited for the lock.
 */
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

/** The names of the applied migrations. */
export async function appliedMigrations(on: Pick<DataSource | QueryRunner, 'query'>): Promise<string[]> {
  const [row]: { exists: boolean }[] = await on.query(`SELECT to_regclass('migrations') IS NOT NULL AS exists`);
  if (!row!.exists) return [];
  const applied: { name: string }[] = await on.query('SELECT name FROM migrations');
  return applied.map(({ name }) => name);
}
