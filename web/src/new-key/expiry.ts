import type { KeyPolicy } from '../api/types';
import type { Expiry } from '../base/trip';
import { limitText } from '../key/limits';
import { MAX_KEY_DAYS } from '../rules';
import type { Texts } from '../texts';
import { DAY_MS } from '../time/format';
import type { FieldErrors } from './fields';
import { serviceTime } from '../time/useNow';

export const CUSTOM = 'custom';

export function expiryIn(days: number, now: number): Expiry {
  return { choice: String(days), date: dateIn(days, now) };
}

/** The days that people may choose from. */
export const firstDate = (now: number) => dateIn(1, now);
export const lastDate = (now: number, most: number) => dateIn(most, now);

/** The same, or as many days as are allowed. A date stays as it was typed. */
export function expiryWithin(expiry: Expiry, most: number, now: number): Expiry {
  return expiry.choice !== CUSTOM && Number(expiry.choice) > most ? expiryIn(most, now) : expiry;
}

/**
 * The key's lifetime in days of 24 hours. Where the clocks change, no number of days may end on the chosen day: then the
 * key ends on the day before. Undefined for a date that the service would refuse.
 * @param most how many days are allowed
 */
export function daysOf({ choice, date }: Expiry, now: number, most: number): number | undefined {
  if (choice !== CUSTOM) return Number(choice);
  if (date < firstDate(now) || date > lastDate(now, most)) return undefined;
  const about = Math.round((Date.parse(date) - Date.parse(dateIn(0, now))) / DAY_MS);
  return [about + 1, about, about - 1].find((days) => days <= most && dateIn(days, now) <= date);
}

/** The error in a date that is missing or not allowed. */
export function dateProblem(expiry: Expiry, policy: KeyPolicy, texts: Texts): FieldErrors {
  if (daysOf(expiry, serviceTime(), policy.maxKeyDays) !== undefined) return {};
  const isLimited = policy.maxKeyDays < MAX_KEY_DAYS;
  return { expiry: isLimited ? limitText(policy, 'maxKeyDays', texts) : texts.create.required.date };
}

/** The day in the person's time zone. */
function dateIn(days: number, now: number): string {
  const day = new Date(now + days * DAY_MS);
  const [month, date] = [day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, '0'));
  return `${day.getFullYear()}-${month}-${date}`;
}
