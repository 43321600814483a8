import { Batcher } from '../../batching/batcher.js';
import { LIMITS } from './data-source.js';

const MAX_BATCH = 512;

/**
 * Batches reads that crowds of strangers may cause. Calls that arrive during a read share the next one. So a crowd uses
 * one connection of the pool, and no caller waits for more than two reads.
 */
export class CrowdReader<Answer> {
  private readonly batcher: Batcher<string, Answer | undefined>;

  /** @param read finds what exists, by the keys that were passed to `read()` */
  constructor(name: string, read: (asked: readonly string[]) => Promise<ReadonlyMap<string, Answer>>) {
    this.batcher = new Batcher({
      send: async (asked) => {
        const found = await read([...new Set(asked)]);
        return asked.map((one) => found.get(one));
      },
      maxBatch: MAX_BATCH,
      maxInFlight: 1,
      timeoutMs: LIMITS.answerTimeoutMs,
      name: `postgresql ${name}`,
    });
  }

  /** The statement is sent after the call, so it is never older. Undefined when nothing exists under that key. */
  read(asked: string): Promise<Answer | undefined> {
    return this.batcher.add(asked);
  }
}
