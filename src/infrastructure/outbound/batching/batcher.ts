import { NO_TRACES, type Origin, type Traces } from '../../telemetry/traces.js';
import { Tally } from '../../telemetry/tally.js';

interface BatcherOptions<Item, Answer> {
  /** Answers every item, in order, or rejects; it must settle within `timeoutMs`. */
  readonly send: (items: readonly Item[]) => Promise<readonly Answer[]>;
  /** What an item is answered that is refused; without it, its caller gets the error. */
  readonly instead?: (item: Item) => Answer;
  readonly maxBatch: number;
  readonly maxInFlight: number;
  readonly timeoutMs: number;
  /** Least time from one sending to the next, asked before each; none unless given. */
  readonly pauseMs?: (nowMs: number) => number;
  /** What a batch is called in a trace. */
  readonly name: string;
  readonly traces?: Traces;
}

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
  readonly origin: Origin;
}

/** Fewer are not worth a batch of their own: what one costs on top of its items outweighs the gain. */
const MIN_SHARE = 32;
/** An event loop with a higher utilization would gain nothing from more batches. */
const BUSY = 0.75;

/** Powers of two, up to more than any batch may hold. */
const SIZES = Array.from({ length: 11 }, (_, power) => 2 ** power);

/**
 * Sends together what arrives together. A batch is closed when it is sent: an item that comes later waits for the next
 * one, so an answer is never older than its question.
 */
export class Batcher<Item, Answer> {
  private waiting: Waiting<Item, Answer>[] = [];
  private inFlight = 0;
  private isPlanned = false;
  private lastSentMs = -Infinity;
  private lastUtilization = performance.eventLoopUtilization();
  private readonly traces: Traces;
  /** Looked at for every item. */
  private readonly isTraced: boolean;
  /** How many items each batch had. */
  readonly sizes = new Tally(SIZES);

  constructor(private readonly options: BatcherOptions<Item, Answer>) {
    this.traces = options.traces ?? NO_TRACES;
    this.isTraced = this.traces.isOn;
  }

  get load(): { readonly waiting: number; readonly inFlight: number } {
    return { waiting: this.waiting.length, inFlight: this.inFlight };
  }

  add(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject, origin: this.isTraced ? this.traces.origin() : undefined });
      if (this.inFlight < this.options.maxInFlight) this.plan(0);
    });
  }

  /** At the earliest after the current turn of the event loop, in which more of the same read may still arrive. */
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
   * Of those who wait, how many the next batch takes: all of them, unless there are many and we would only wait for their
   * answers. Shared out, the other end works on some while we work on the answers to others.
   */
  private share(): number {
    const share = Math.ceil(this.waiting.length / (this.options.maxInFlight - this.inFlight));
    return share >= MIN_SHARE && this.hasSpareTime() ? share : this.waiting.length;
  }

  /** Whether this process has waited for others for some of the time since the last check. */
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
      // A refusal comes at once. Items that waited behind a batch that got no answer are refused too, so that none waits twice.
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
