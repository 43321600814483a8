const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [1000, 60_000];

/**
 * How a receiver has stood lately. One that takes nothing is not asked with all that waits for it: with one message at a time,
 * less and less often, and often enough to notice soon that it is back.
 */
export class ReceiverStanding {
  /** Looks in a row that ended with nothing taken. */
  private vainLooks = 0;

  get isAway(): boolean {
    return this.vainLooks > 0;
  }

  /** Until the next look; none where the receiver takes what it is given. */
  get pauseMs(): number {
    return this.isAway ? Math.min(FIRST_PAUSE_MS * 2 ** (this.vainLooks - 1), LONGEST_PAUSE_MS) : 0;
  }

  /** A look with one message at least. One that was taken says that the receiver is there, whatever became of the others. */
  note(took: boolean): void {
    this.vainLooks = took ? 0 : this.vainLooks + 1;
  }
}
