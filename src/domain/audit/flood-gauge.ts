import {
  EVERYDAY_FAILURES_PER_SECOND as EVERYDAY,
  FLOOD_FAILURES_PER_SECOND as FLOOD,
  LONGEST_PAUSE_MS,
} from './flood-policy.js';

const MEMORY_MS = 1000;

/**
 * How many failures arrive, and so how far apart their commits are to lie. The load fades exponentially, so that it
 * stands for about the last second, and never counts past FLOOD: hardly more than a second after a flood, however
 * great, all is everyday again.
 */
export class FloodGauge {
  private load = 0;
  private asOfMs = 0;

  count(nowMs: number): void {
    this.load = Math.min(this.loadAt(nowMs) + 1, FLOOD);
    this.asOfMs = nowMs;
  }

  /** Least time from one commit to the next; 0 unless there is a flood. */
  pauseMs(nowMs: number): number {
    const excess = Math.max(this.loadAt(nowMs) - EVERYDAY, 0);
    return (excess / (FLOOD - EVERYDAY)) * LONGEST_PAUSE_MS;
  }

  forget(): void {
    this.load = 0;
  }

  private loadAt(nowMs: number): number {
    return this.load * Math.exp((this.asOfMs - nowMs) / MEMORY_MS);
  }
}
