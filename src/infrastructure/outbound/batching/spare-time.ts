/** A loop that is busier than this has no use for more to do. */
const BUSY = 0.75;

/** Whether this process waits for others for some of its time. */
export class SpareTime {
  private last = performance.eventLoopUtilization();

  /** Since it was asked before. */
  ask(): boolean {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, this.last);
    this.last = now;
    return utilization < BUSY;
  }
}
