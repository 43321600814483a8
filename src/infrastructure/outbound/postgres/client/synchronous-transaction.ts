import type { SessionSource, Work } from './session-source.js';
import { committedSynchronously } from './synchronous-sql.js';

/** All or nothing, and nothing where no standby takes it. */
export async function synchronousTransaction<T>(source: SessionSource, work: Work<T>): Promise<T> {
  const runner = source.createQueryRunner();
  const commit = (lookBefore: () => Promise<void>) =>
    source.readCommitted(async (manager) => {
      const answer = await work(manager);
      await lookBefore();
      return answer;
    }, runner.manager);
  try {
    return await committedSynchronously((text) => runner.query(text), commit);
  } finally {
    await runner.release();
  }
}
