import type { Database } from '../client/database.js';
import { NotedKey, type NotedUse } from './noted-key.js';
import type { UsageWriter } from './usage-writer.js';

/** A transaction of so many takes some milliseconds, and validations get their turn between its statements. */
const KEYS_A_TRANSACTION = 2000;
/** While PostgreSQL takes no writes, what further keys do is let go of: a bound on memory. */
const MOST_UNWRITTEN = 150_000;

/** What keys did, on its way to PostgreSQL. What a flush does not write is kept for the next one. */
export class WriteBehind {
  private readonly unwritten = new Map<string, NotedUse>();
  private flushing: Promise<void> = Promise.resolve();

  /** @param onError called with the error of a flush that failed */
  constructor(
    private readonly database: Database,
    private readonly writer: UsageWriter,
    private readonly onError: (error: unknown) => void,
  ) {}

  get size(): number {
    return this.unwritten.size;
  }

  /** Never fails. One flush after the other: they must never keep more than one connection busy. */
  write(uses: readonly NotedUse[]): Promise<void> {
    this.keep(uses);
    this.flushing = this.flushing.then(() => this.writeAll());
    return this.flushing;
  }

  private keep(uses: readonly NotedUse[]): void {
    for (const use of uses) {
      const known = this.unwritten.get(use.keyId);
      if (known) this.unwritten.set(use.keyId, together(known, use));
      else if (this.unwritten.size < MOST_UNWRITTEN) this.unwritten.set(use.keyId, use);
    }
  }

  private async writeAll(): Promise<void> {
    const all = [...this.unwritten.values()];
    this.unwritten.clear();
    while (all.length > 0) {
      // oxlint-disable-next-line no-await-in-loop
      const left = await this.writeBatch(all.splice(0, KEYS_A_TRANSACTION));
      if (left.length > 0) return this.keep([...left, ...all]);
    }
  }

  /** Answers what is left to be written. */
  private async writeBatch(batch: readonly NotedUse[]): Promise<readonly NotedUse[]> {
    let isWritten = false;
    try {
      await this.database.transaction(async (manager) => {
        await this.writer.write(manager, batch);
        isWritten = true;
      });
      return [];
    } catch (error) {
      this.onError(error);
      // If nothing but the COMMIT failed, it may have been done, and only its answer lost. Then counts are let go of: they
      // may be lost, but never are they counted twice. All else can be written again.
      return isWritten ? batch.map((use) => ({ ...use, days: [] })) : batch;
    }
  }
}

function together(one: NotedUse, other: NotedUse): NotedUse {
  const both = new NotedKey(one.keyId);
  both.add(one);
  both.add(other);
  return both.take()[0]!;
}
