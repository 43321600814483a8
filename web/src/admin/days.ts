// Imports nothing, because test/contracts/screen-rules.spec.ts runs it without a bundler.

/** Days of the calendar, such as 2026-11-30, where the person is. Both count; undefined: any. */
export interface Days {
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

/** The day in a text. Undefined for any other text, and for a day that does not exist. */
export function dayIn(text: string | null): string | undefined {
  if (text === null || !/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const midnight = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(text) ? text : undefined;
}

/** From the beginning of the first day to before the end of the last one. */
export function timesOf({ from, until }: Days): { readonly from?: string; readonly before?: string } {
  return {
    ...(from !== undefined && { from: midnightOf(from, 0) }),
    ...(until !== undefined && { before: midnightOf(until, 1) }),
  };
}

/** @param days after the day; a day may have 23 or 25 hours */
function midnightOf(day: string, days: number): string {
  const midnight = new Date(`${day}T00:00`);
  midnight.setDate(midnight.getDate() + days);
  return midnight.toISOString();
}

/** Today and so many days after it. */
export function daysFrom(now: Date, count: number): Days {
  return { from: dayOf(now), until: dayOf(new Date(now.getFullYear(), now.getMonth(), now.getDate() + count)) };
}

function dayOf(date: Date): string {
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0'));
  return `${date.getFullYear()}-${month}-${day}`;
}
