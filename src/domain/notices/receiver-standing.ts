const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [1000, 60_000];

/** Whether a receiver accepts messages. While it accepts none, it gets one at a time, after growing pauses. */
export class ReceiverStanding {
  /** Consecutive looks at the outbox in which the receiver accepted no message. */
  private failedTries = 0;
  private hasAccepted = false;

  get isAway(): boolean {
    return this.failedTries > 0;
  }

  /** Whether messages whose attempts failed should be tried now. Another instance may have noticed the outage. */
  get isBack(): boolean {
    return this.hasAccepted;
  }

  /** Until the next look; 0 while the receiver accepts messages. */
  get pauseMs(): number {
    return this.isAway ? Math.min(FIRST_PAUSE_MS * 2 ** (this.failedTries - 1), LONGEST_PAUSE_MS) : 0;
  }

  /** @param hasAccepted whether it accepted at least one of the messages of a look */
  note(hasAccepted: boolean): void {
    this.hasAccepted = hasAccepted;
    this.failedTries = hasAccepted ? 0 : this.failedTries + 1;
  }

  /** No message waits any more because its receiver was away. */
  caughtUp(): void {
    this.hasAccepted = false;
  }
}
