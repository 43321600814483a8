import { Batcher } from '../../batching/batcher.js';

/** How long a statement of the pool may take before it is given up. */
const PATIENCE_MS = 6000;
const MAX_BATCH = 512;

/**
 * Reads what strangers may ask for in crowds. What is asked while a read is under way is read together by the next one: a
 * crowd holds one connection of the pool, and nobody waits behind it for longer than two reads.
 */
export class CrowdReader<Answer> {
  private readonly batcher: Batcher<string, Answer | undefined>;

  /** @param read answers what there is, by what was asked for */
  constructor(name: string, read: (asked: readonly string[]) => Promise<ReadonlyMap<string, Answer>>) {
    this.batcher = new Batcher({
      send: async (asked) => {
        const found = await read([...new Set(asked)]);
        return asked.map((one) => found.get(one));
      },
      maxBatch: MAX_BATCH,
      maxInFlight: 1,
      patienceMs: PATIENCE_MS,
      name: `postgresql ${name}`,
    });
  }

  /** The statement is sent after the call. Undefined for what there is not. */
  read(asked: string): Promise<Answer | undefined> {
    return this.batcher.add(asked);
  }
}
