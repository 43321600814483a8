/**
 * What failed authentications may cost while they come in a flood. In everyday life each is committed at once; between
 * that and a flood the commits lie ever further apart.
 */
export const EVERYDAY_FAILURES_PER_SECOND = 50;
export const FLOOD_FAILURES_PER_SECOND = 150;
/** From one commit to the next while there is a flood. */
export const LONGEST_PAUSE_MS = 250;

/** What a process promises, by PostgreSQL's clock. */
const MAX_ROWS_PER_SECOND = 1000;
/** A late commit comes closer to the next one there than it did here. */
const MARGIN = 100;
/** Rows that may be written at once; what comes back a second, together with these, stays within the promise. */
export const ROWS_AT_ONCE = 200;
export const ROWS_REGAINED_PER_SECOND = MAX_ROWS_PER_SECOND - MARGIN - ROWS_AT_ONCE;

/** About how far back the gauge looks. */
const MEMORY_MS = 1000;

/**
 * How many failures arrive, and so how far apart their commits are to lie. The load fades exponentially, so that it
 * stands for about the last second, and never counts past a flood: hardly more than a second after a flood, however
 * great, all is everyday again.
 */
export class FloodGauge {
  private load = 0;
  private asOfMs = 0;

  count(nowMs: number): void {
    this.load = Math.min(this.loadAt(nowMs) + 1, FLOOD_FAILURES_PER_SECOND);
    this.asOfMs = nowMs;
  }

  /** Least time from one commit to the next; 0 unless there is a flood. */
  pauseMs(nowMs: number): number {
    const excess = Math.max(this.loadAt(nowMs) - EVERYDAY_FAILURES_PER_SECOND, 0);
    return (excess / (FLOOD_FAILURES_PER_SECOND - EVERYDAY_FAILURES_PER_SECOND)) * LONGEST_PAUSE_MS;
  }

  forget(): void {
    this.load = 0;
  }

  private loadAt(nowMs: number): number {
    return this.load * Math.exp((this.asOfMs - nowMs) / MEMORY_MS);
  }
}

/** How many rows failures may cost one process. */
export class RowAllowance {
  private left = ROWS_AT_ONCE;
  private asOfMs = 0;

  leftAt(nowMs: number): number {
    this.left = Math.min(this.left + ((nowMs - this.asOfMs) / 1000) * ROWS_REGAINED_PER_SECOND, ROWS_AT_ONCE);
    this.asOfMs = nowMs;
    return Math.floor(this.left);
  }

  spend(rows: number): void {
    this.left -= rows;
  }
}
