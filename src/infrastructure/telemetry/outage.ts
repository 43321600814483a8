import { causeOf, type Log } from './log.js';

/** Logs once that a store is unavailable, with the cause, and once that it is back, however many calls notice. */
export class Outage {
  private begunAt: number | undefined;

  /** @param words how the service works without the store (effect), and what works once it is back (again) */
  constructor(
    private readonly log: Log,
    private readonly words: Readonly<Record<'store' | 'effect' | 'again', string>>,
  ) {}

  /**
   * Call it when the store turned out to be unavailable.
   * @param error is logged only at debug from now on, because this line reports it
   */
  noticed(error: unknown, facts: object = {}): void {
    this.log.note(error);
    if (this.begunAt !== undefined) return;
    this.begunAt = performance.now();
    const { store, effect } = this.words;
    this.log.warn(`${store} is away: ${effect}`, { ...facts, reason: causeOf(error) });
  }

  /** Call it when the store has answered. */
  over(): void {
    if (this.begunAt === undefined) return;
    const awayMs = Math.round(performance.now() - this.begunAt);
    this.begunAt = undefined;
    const { store, again } = this.words;
    this.log.info(`${store} is back: ${again}`, { awayMs });
  }
}
