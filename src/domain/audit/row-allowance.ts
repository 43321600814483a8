/**
 * Rows that may be written at once, and what comes back a second: together at most 900 in any second by our clock, so
 * at most 1,000 by PostgreSQL's, where a late commit comes closer to the next.
 */
const AT_ONCE = 200;
const PER_SECOND = 700;

/** How many rows failures may cost one process. */
export class RowAllowance {
  private left = AT_ONCE;
  private asOfMs = 0;

  leftAt(nowMs: number): number {
    this.left = Math.min(this.left + ((nowMs - this.asOfMs) / 1000) * PER_SECOND, AT_ONCE);
    this.asOfMs = nowMs;
    return Math.floor(this.left);
  }

  spend(rows: number): void {
    this.left -= rows;
  }
}
