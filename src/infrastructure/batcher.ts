export interface BatcherOptions<Item, Answer> {
  /** Answers every item, in order, or rejects; it must settle within `patienceMs`. */
  readonly send: (items: readonly Item[]) => Promise<readonly Answer[]>;
  /** Fewer are not worth a batch of their own while another one has room. */
  readonly minBatch: number;
  readonly maxBatch: number;
  readonly maxInFlight: number;
  readonly patienceMs: number;
}

interface Waiting<Item, Answer> {
  readonly item: Item;
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

  constructor(private readonly options: BatcherOptions<Item, Answer>) {}

  add(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
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
    const { minBatch, maxBatch, maxInFlight } = this.options;
    while (this.waiting.length > 0 && this.inFlight < maxInFlight) {
      // Shared out: while the answers of one are read, the other end works on the next.
      const share = Math.ceil(this.waiting.length / (maxInFlight - this.inFlight));
      void this.sendOne(this.waiting.splice(0, Math.min(maxBatch, Math.max(minBatch, share))));
    }
  }

  private async sendOne(batch: readonly Waiting<Item, Answer>[]): Promise<void> {
    this.inFlight += 1;
    const sentAt = performance.now();
    try {
      const answers = await this.options.send(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(answers[index]!));
    } catch (error) {
      // A refusal comes at once. Whoever waited behind a batch that got no answer is told too: nobody waits twice.
      const wasLate = performance.now() - sentAt > this.options.patienceMs / 2;
      const refused = wasLate ? [...batch, ...this.waiting.splice(0)] : batch;
      for (const { reject } of refused) reject(error);
    } finally {
      this.inFlight -= 1;
      this.pump();
    }
  }
}
