const firstMs = 50;
const longestMs = 1000;

/** Decides when to open the next stream: at once after one that worked, and after a growing pause while none works. */
export class ReopenDelay {
  private failures = 0;
  private lastAt = -Infinity;
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param wasGood whether the previous stream has answered anything
   * @returns whether the next one is opened at once
   */
  run(wasGood: boolean, open: () => void): boolean {
    this.cancel();
    const now = performance.now();
    if (wasGood || now - this.lastAt > 10 * longestMs) this.failures = 0;
    this.lastAt = now;
    const longMs = this.failures === 0 ? 0 : Math.min(longestMs, firstMs * 2 ** (this.failures - 1));
    this.failures += 1;
    // Shortened at random, so that not all guards come back at the same moment.
    this.timer = setTimeout(open, longMs * (0.5 + Math.random() / 2)).unref();
    return longMs === 0;
  }

  cancel(): void {
    clearTimeout(this.timer);
  }
}
