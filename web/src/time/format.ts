import type { Texts } from '../texts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
export const DAY_MS = 24 * HOUR;

/** The browser's own variant of the language, such as en-GB of en, where it has one. */
function localeFor(language: string): string {
  const [main] = language.split('-');
  return navigator.languages.find((own) => own.split('-')[0] === main) ?? language;
}

/** From the largest. Days are used up to two months, since people choose a key's lifetime in days. */
const UNITS: readonly [Intl.RelativeTimeFormatUnit, number, number][] = [
  ['year', 365 * DAY_MS, 365 * DAY_MS],
  ['month', 30 * DAY_MS, 60 * DAY_MS],
  ['day', DAY_MS, DAY_MS],
  ['hour', HOUR, HOUR],
  ['minute', MINUTE, MINUTE],
];

/** "3 minutes ago", "in 12 days". Past times are rounded down, future times to the nearest. */
export function relativeTime(iso: string, now: number, { language, justNow }: Texts): string {
  const relative = new Intl.RelativeTimeFormat(localeFor(language), { numeric: 'always' });
  const distance = Date.parse(iso) - now;
  for (const [unit, size, from] of UNITS) {
    const count = distance > 0 ? Math.round(distance / size) : Math.ceil(distance / size);
    if (Math.abs(distance) >= from || (size <= DAY_MS && Math.abs(count) * size >= from))
      return relative.format(count, unit);
  }
  const seconds = Math.trunc(distance / 1000);
  return Math.abs(seconds) < 10 ? justNow : relative.format(seconds, 'second');
}

export function exactTime(iso: string, language: string): string {
  const exact = new Intl.DateTimeFormat(localeFor(language), { dateStyle: 'full', timeStyle: 'long' });
  return exact.format(new Date(iso));
}

export function longDate(time: number, language: string): string {
  return new Intl.DateTimeFormat(localeFor(language), { dateStyle: 'long' }).format(new Date(time));
}

/** "45 seconds", "15 minutes": how long to wait. */
export function duration(seconds: number, language: string): string {
  const [value, unit] = seconds < 90 ? [Math.ceil(seconds), 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return new Intl.NumberFormat(localeFor(language), { style: 'unit', unit, unitDisplay: 'long' }).format(value);
}
