import { MAX_EXPIRY_DAYS } from '../rules';
import { DAY_MS } from '../time/format';

export const EXPIRY_PRESETS: readonly number[] = [7, 30, 60, 90, 365];
export const CUSTOM = 'custom';

/** What a person chose: a number of days, or a day on their calendar. */
export interface Expiry {
  /** One of the presets, or CUSTOM. */
  readonly choice: string;
  /** Such as 2027-02-21; empty without a valid date. */
  readonly date: string;
}

export function expiryIn(days: number, now: number): Expiry {
  return { choice: EXPIRY_PRESETS.includes(days) ? String(days) : CUSTOM, date: dateIn(days, now) };
}

/** The days that people may choose from. */
export const firstDate = (now: number) => dateIn(1, now);
export const lastDate = (now: number) => dateIn(MAX_EXPIRY_DAYS, now);

/**
 * The key's lifetime in days of 24 hours. Where the clocks change, no number of days may end on the chosen day: then the
 * key ends on the day before. Undefined for a date that the service would refuse.
 */
export function daysOf({ choice, date }: Expiry, now: number): number | undefined {
  if (choice !== CUSTOM) return Number(choice);
  if (date < firstDate(now) || date > lastDate(now)) return undefined;
  const about = Math.round((Date.parse(date) - Date.parse(dateIn(0, now))) / DAY_MS);
  return [about + 1, about, about - 1].find((days) => days <= MAX_EXPIRY_DAYS && dateIn(days, now) <= date);
}

/** The day in the person's time zone. */
function dateIn(days: number, now: number): string {
  const day = new Date(now + days * DAY_MS);
  const [month, date] = [day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, '0'));
  return `${day.getFullYear()}-${month}-${date}`;
}
