export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export function later(one: Date, other: Date): Date {
  return one > other ? one : other;
}

export function earliest(one: Date, other: Date): Date {
  return one < other ? one : other;
}

/** A day in UTC as the number of days since 1970-01-01, so that comparing days allocates nothing. */
export type UtcDay = number;

export function utcDay(at: Date): UtcDay {
  return Math.floor(at.getTime() / DAY_MS);
}

/** In ISO 8601: 2026-03-29. */
export function dayText(day: UtcDay): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
