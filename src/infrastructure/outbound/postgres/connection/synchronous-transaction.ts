import type { DataSource, EntityManager } from 'typeorm';
import { requireSynchronous } from './synchronous-sql.js';

/**
 * All or nothing, and nothing where no standby takes it: looked at before the commit, and after it on the same connection,
 * since waiting that is switched off meanwhile ends. What was committed then may be lost, and is not answered.
 */
export async function synchronousTransaction<T>(
  dataSource: DataSource,
  work: (manager: EntityManager) => Promise<T>,
): Promise<T> {
  const runner = dataSource.createQueryRunner();
  try {
    const answer = await runner.manager.transaction(async (manager) => {
      const done = await work(manager);
      await requireSynchronous((text) => manager.query(text));
      return done;
    });
    await requireSynchronous((text) => runner.query(text));
    return answer;
  } finally {
    await runner.release();
  }
}
