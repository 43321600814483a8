const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [1000, 60_000];

/**
 * Whether a receiver is accepting messages. While it accepts none, it is tried with one message at a time, after
 * growing pauses that stay short enough to notice soon when it is back.
 */
export class ReceiverStanding {
  /** Consecutive looks at the outbox in which the receiver accepted no message. */
  private failedTries = 0;

  get isAway(): boolean {
    return this.failedTries > 0;
  }

  /** Until the next look; 0 while the receiver accepts messages. */
  get pauseMs(): number {
    return this.isAway ? Math.min(FIRST_PAUSE_MS * 2 ** (this.failedTries - 1), LONGEST_PAUSE_MS) : 0;
  }

  /**
   * To be called after a look with at least one message. One accepted message shows that the receiver is up, even if
   * others failed.
   */
  note(took: boolean): void {
    this.failedTries = took ? 0 : this.failedTries + 1;
  }
}
