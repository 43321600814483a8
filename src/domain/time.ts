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

const RFC_3339 = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** The time in a text of RFC 3339. Undefined for another text, and for a day that does not exist. */
export function timeIn(text: string): Date | undefined {
  const [, day] = RFC_3339.exec(text) ?? [];
  const time = new Date(text);
  if (day === undefined || Number.isNaN(time.getTime())) return undefined;
  // Date takes 31 February, as 3 March.
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day) ? time : undefined;
}
