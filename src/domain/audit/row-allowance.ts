import { ROWS_AT_ONCE, ROWS_REGAINED_PER_SECOND } from './flood-policy.js';

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
