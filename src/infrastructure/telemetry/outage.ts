import { causeOf, type Log } from './log.js';

interface Words {
  readonly store: string;
  /** What the service does without it, and what it does again with it. */
  readonly meanwhile: string;
  readonly again: string;
}

/** Says once that a store is away, with the cause, and once that it is back, however many calls notice either. */
export class Outage {
  private begunAt: number | undefined;

  constructor(
    private readonly log: Log,
    private readonly words: Words,
  ) {}

  /**
   * Something has shown that the store is away.
   * @param error is logged at debug from now on where it is the answer to a call: this line has said it
   */
  noticed(error: unknown, facts: object = {}): void {
    this.log.note(error);
    if (this.begunAt !== undefined) return;
    this.begunAt = performance.now();
    const { store, meanwhile } = this.words;
    this.log.warn(`${store} is away: ${meanwhile}`, { ...facts, reason: causeOf(error) });
  }

  /** The store has answered. */
  over(): void {
    if (this.begunAt === undefined) return;
    const awayMs = Math.round(performance.now() - this.begunAt);
    this.begunAt = undefined;
    const { store, again } = this.words;
    this.log.info(`${store} is back: ${again}`, { awayMs });
  }
}
