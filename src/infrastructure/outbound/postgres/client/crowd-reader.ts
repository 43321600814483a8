import { Batcher } from '../../batching/batcher.js';
import { Gate } from '../../batching/gate.js';
import { LIMITS } from './data-source.js';

const MAX_BATCH = 512;

/** For writes of crowds. Excess calls queue, so that they do not use up the connections that all other calls need. */
export function crowdGate(): Gate {
  return new Gate({ atOnce: 3, queueLength: 1000 });
}

/** For reads of crowds. Calls that arrive during a read share the next one, so a crowd uses one connection at a time. */
export class CrowdReader<Answer> {
  private readonly batcher: Batcher<string, Answer | undefined>;

  /** @param read finds what exists, by its key */
  constructor(name: string, read: (keys: readonly string[]) => Promise<ReadonlyMap<string, Answer>>) {
    this.batcher = new Batcher({
      send: async (keys) => {
        const found = await read([...new Set(keys)]);
        return keys.map((key) => found.get(key));
      },
      maxBatch: MAX_BATCH,
      maxInFlight: 1,
      timeoutMs: LIMITS.answerTimeoutMs,
      name: `postgresql ${name}`,
    });
  }

  /** The statement is sent after the call, so it is never older. Undefined when nothing exists under that key. */
  read(key: string): Promise<Answer | undefined> {
    return this.batcher.add(key);
  }
}
