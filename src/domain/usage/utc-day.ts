import { DAY_MS } from '../time.js';

/** A day in UTC, counted from 1970-01-01: a number, which is compared without making anything. */
export type UtcDay = number;

export function utcDay(at: Date): UtcDay {
  return Math.floor(at.getTime() / DAY_MS);
}

/** As ISO 8601 writes it: 2026-03-29. */
export function dayText(day: UtcDay): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
