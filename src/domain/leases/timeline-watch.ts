import { MOST_LEASE_MS, withMargin } from './lease-length.js';

/**
 * Which WAL timelines of PostgreSQL this process has seen. A promoted server may lack the newest registrations, so
 * nobody there knows which leases were given before.
 */
export class TimelineWatch {
  private seen: { readonly timeline: number; readonly sinceMs: number } | undefined;

  /**
   * @param timeline of the server
   * @param complete the timeline that the row of `lease_timeline` names. Undefined: no lease was ever given
   * @returns from when on this process may answer a change, on its monotonic clock. If that is not 0, the process then
   * writes the server's timeline into the row
   */
  answersFrom(timeline: number, complete: number | undefined, nowMs: number): number {
    if (complete === undefined || complete === timeline) return 0;
    if (this.seen?.timeline !== timeline) this.seen = { timeline, sinceMs: nowMs };
    return this.seen.sinceMs + withMargin(MOST_LEASE_MS);
  }
}
