/** The same line is written again after this time. */
const QUIET_MS = 60_000;
/** Strangers can cause any number of different lines. Those beyond this number are not written. */
const MAX_LINES_A_MINUTE = 100;

/** Limits the lines of the log that each call can cause. */
export class RareLines {
  private readonly writtenAt = new Map<string, number>();

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /** Whether to write this line now. The answer true counts as written. */
  isDue(line: string): boolean {
    const now = this.nowMs();
    for (const [written, at] of this.writtenAt) {
      if (now - at < QUIET_MS) break;
      this.writtenAt.delete(written);
    }
    if (this.writtenAt.has(line) || this.writtenAt.size >= MAX_LINES_A_MINUTE) return false;
    this.writtenAt.set(line, now);
    return true;
  }
}
