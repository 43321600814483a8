/** Up to this rate each failure is committed at once. From here to the next rate, the pause between commits grows. */
export const EVERYDAY_FAILURES_PER_SECOND = 50;
export const FLOOD_FAILURES_PER_SECOND = 150;
/** The pause between two commits in a flood. */
export const LONGEST_PAUSE_MS = 250;

/** What one process guarantees, measured by PostgreSQL's clock. */
const MAX_ROWS_PER_SECOND = 1000;
/** For commits that are delayed on their way and so reach PostgreSQL closer to the next one. */
const MARGIN = 100;
export const ROWS_AT_ONCE = 200;
export const ROWS_REGAINED_PER_SECOND = MAX_ROWS_PER_SECOND - MARGIN - ROWS_AT_ONCE;

const MEMORY_MS = 1000;

/**
 * Measures how many failures arrive. The load decays exponentially, and it is capped at the rate of a flood, so that
 * commits are normal again about a second after a flood of any size.
 */
export class FloodGauge {
  private load = 0;
  private asOfMs = 0;

  count(nowMs: number): void {
    this.load = Math.min(this.loadAt(nowMs) + 1, FLOOD_FAILURES_PER_SECOND);
    this.asOfMs = nowMs;
  }

  /** The minimum pause between two commits; 0 outside a flood. */
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

/** How many rows one process may write for failures. */
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
