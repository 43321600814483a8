export interface BatcherOptions<Item, Answer> {
  /** Answers every item, in order; it must settle by `deadline` (milliseconds, clock of performance.now). */
  readonly send: (items: readonly Item[], deadline: number) => Promise<readonly Answer[]>;
  readonly maxBatch: number;
  readonly maxInFlight: number;
  /** Milliseconds from an item's arrival to its `late` error. */
  readonly patience: number;
  readonly late: () => Error;
}

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly deadline: number;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends together what arrives together. A batch is sealed when it is sent: whoever comes later waits for the next one,
 * so an answer is never older than its question.
 */
export class Batcher<Item, Answer> {
  private waiting: Waiting<Item, Answer>[] = [];
  private inFlight = 0;
  private pumping = false;
  private watching = false;

  constructor(private readonly options: BatcherOptions<Item, Answer>) {}

  add(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const deadline = performance.now() + this.options.patience;
      this.waiting.push({ item, deadline, resolve, reject });
      this.watch();
      if (this.pumping || this.inFlight >= this.options.maxInFlight) return;
      this.pumping = true;
      // After the current turn of the event loop, in which more of the same read may still arrive.
      setImmediate(() => {
        this.pumping = false;
        this.pump();
      });
    });
  }

  private pump(): void {
    const { maxBatch, maxInFlight } = this.options;
    while (this.waiting.length > 0 && this.inFlight < maxInFlight) {
      void this.sendOne(this.waiting.splice(0, maxBatch));
    }
  }

  private async sendOne(batch: readonly Waiting<Item, Answer>[]): Promise<void> {
    this.inFlight += 1;
    try {
      const answers = await this.options.send(
        batch.map(({ item }) => item),
        batch[0]!.deadline,
      );
      batch.forEach(({ resolve }, index) => resolve(answers[index]!));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.inFlight -= 1;
      this.pump();
    }
  }

  /** One timer for all that wait. Its work is put behind the arrivals of this turn, which a busy loop may have delayed. */
  private watch(): void {
    if (this.watching) return;
    this.watching = true;
    const delay = Math.max(0, this.waiting[0]!.deadline - performance.now());
    setTimeout(() => setImmediate(() => this.expire()), delay).unref();
  }

  private expire(): void {
    this.watching = false;
    const now = performance.now();
    while (this.waiting[0] && this.waiting[0].deadline <= now) this.waiting.shift()!.reject(this.options.late());
    if (this.waiting.length > 0) this.watch();
  }
}
