import { NO_TRACES, type Origin, type Traces } from '#infrastructure/telemetry/traces.js';
import { Tally } from '#infrastructure/telemetry/instrument.js';

interface BatcherOptions<Item, Answer> {
  /** Resolves with an answer for each item, in order, or rejects. It must settle within `timeoutMs`. */
  readonly send: (items: readonly Item[]) => Promise<readonly Answer[]>;
  /** The answer for an item whose batch failed. Without this option its caller gets the error. */
  readonly instead?: (item: Item) => Answer;
  readonly maxBatch: number;
  readonly maxInFlight: number;
  readonly timeoutMs: number;
  /** Returns the minimum time between the starts of two batches, in milliseconds. Called before each one. */
  readonly pauseMs?: (nowMs: number) => number;
  /** The name of a batch in a trace. */
  readonly name: string;
  readonly traces?: Traces;
}

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
  readonly origin: Origin;
}

/** A smaller batch is not worth sending: the cost of a batch outweighs the gain. */
const MIN_SHARE = 32;
/** An event loop with a higher utilization gains nothing from more batches. */
const BUSY = 0.75;

/** Bounds for batch sizes: powers of two, beyond the largest batch. */
const SIZES = Array.from({ length: 11 }, (_, power) => 2 ** power);

/** Sends items together that arrive together. An item never joins a sent batch, so no answer is older than its call. */
export class Batcher<Item, Answer> {
  private waiting: Waiting<Item, Answer>[] = [];
  private inFlight = 0;
  private isPlanned = false;
  private lastSentMs = -Infinity;
  private lastUtilization = performance.eventLoopUtilization();
  private readonly traces: Traces;
  /** A histogram of the number of items in a batch. */
  readonly sizes = new Tally(SIZES);

  constructor(private readonly options: BatcherOptions<Item, Answer>) {
    this.traces = options.traces ?? NO_TRACES;
  }

  get load(): { readonly waiting: number; readonly inFlight: number } {
    return { waiting: this.waiting.length, inFlight: this.inFlight };
  }

  add(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject, origin: this.traces.origin() });
      if (this.inFlight < this.options.maxInFlight) this.plan(0);
    });
  }

  /** Waits at least for the end of this turn of the event loop, in which more items of the same read may arrive. */
  private plan(waitMs: number): void {
    if (this.isPlanned) return;
    this.isPlanned = true;
    const pump = () => {
      this.isPlanned = false;
      this.pump();
    };
    if (waitMs > 0) setTimeout(pump, waitMs);
    else setImmediate(pump);
  }

  private pump(): void {
    const { maxBatch, maxInFlight } = this.options;
    while (this.waiting.length > 0 && this.inFlight < maxInFlight) {
      const waitMs = this.pauseLeftMs();
      if (waitMs > 0) return this.plan(waitMs);
      void this.send(this.waiting.splice(0, Math.min(maxBatch, this.share())));
    }
  }

  private pauseLeftMs(): number {
    if (!this.options.pauseMs) return 0;
    const now = performance.now();
    return this.lastSentMs + this.options.pauseMs(now) - now;
  }

  /**
   * How many of the waiting items the next batch takes: all of them, unless there are many and this process has spare
   * time. Then several batches share them, so that the other side works on one while we handle the answers to another.
   */
  private share(): number {
    const share = Math.ceil(this.waiting.length / (this.options.maxInFlight - this.inFlight));
    return share >= MIN_SHARE && this.hasSpareTime() ? share : this.waiting.length;
  }

  /** Whether this process was idle for part of the time since the last check. */
  private hasSpareTime(): boolean {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, this.lastUtilization);
    this.lastUtilization = now;
    return utilization < BUSY;
  }

  private async send(batch: readonly Waiting<Item, Answer>[]): Promise<void> {
    this.inFlight += 1;
    this.sizes.observe(batch.length);
    const span = this.traces.batch(this.options.name, batch);
    const sentAt = performance.now();
    this.lastSentMs = sentAt;
    try {
      const answers = await this.options.send(batch.map(({ item }) => item));
      span.end('ok');
      batch.forEach(({ resolve }, index) => resolve(answers[index]!));
    } catch (error) {
      span.end('failed');
      // After a timeout, the items that waited for this batch fail too, so that none waits twice.
      const wasLate = performance.now() - sentAt > this.options.timeoutMs / 2;
      const refused = wasLate ? [...batch, ...this.waiting.splice(0)] : batch;
      const { instead } = this.options;
      for (const { item, resolve, reject } of refused) {
        if (instead) resolve(instead(item));
        else reject(error);
      }
    } finally {
      this.inFlight -= 1;
      this.pump();
    }
  }
}
