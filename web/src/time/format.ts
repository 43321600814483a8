import type { Texts } from '../texts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
export const DAY_MS = 24 * HOUR;

/** The browser's variant of the language, such as en-GB for en, if it has one. */
function localeFor(language: string): string {
  const [main] = language.split('-');
  return navigator.languages.find((own) => own.split('-')[0] === main) ?? language;
}

/** A format is made once for each language, since that takes longer than to render a row. */
function perLanguage<F>(make: (locale: string) => F): (language: string) => F {
  const made = new Map<string, F>();
  return (language) => {
    const locale = localeFor(language);
    const format = made.get(locale) ?? make(locale);
    made.set(locale, format);
    return format;
  };
}

function dates(options: Intl.DateTimeFormatOptions): (language: string) => Intl.DateTimeFormat {
  return perLanguage((locale) => new Intl.DateTimeFormat(locale, options));
}

/**
 * From the largest unit: its size, the distance from which it is used, and how much sooner for a future time, which is
 * rounded.
 * Days are used up to two months, since people choose a key's lifetime in days.
 */
const UNITS: readonly [Intl.RelativeTimeFormatUnit, number, number, number][] = [
  ['year', 365 * DAY_MS, 365 * DAY_MS, 0],
  ['month', 30 * DAY_MS, 60 * DAY_MS, 0],
  ['day', DAY_MS, DAY_MS, HOUR / 2],
  ['hour', HOUR, HOUR, MINUTE / 2],
  ['minute', MINUTE, MINUTE, 500],
];

const relativeIn = perLanguage((locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'always' }));

/**
 * "3 minutes ago", "in 12 days". Past times are rounded down, but days are counted by the calendar, as the headings of lists
 * do. Future times are rounded to the nearest.
 * @param isPast the time is never in the future, even if the clocks of browser and service differ
 */
export function relativeTime(iso: string, now: number, { language, justNow }: Texts, isPast = false): string {
  const relative = relativeIn(language);
  const distance = Math.min(Date.parse(iso) - now, isPast ? 0 : Infinity);
  for (const [unit, size, from, sooner] of UNITS) {
    if (distance >= from - sooner) return relative.format(Math.round(distance / size), unit);
    if (-distance < from) continue;
    return relative.format(unit === 'day' ? -daysSince(now + distance, now) : Math.ceil(distance / size), unit);
  }
  const seconds = Math.trunc(distance / 1000);
  return Math.abs(seconds) < 10 ? justNow : relative.format(seconds, 'second');
}

const exactIn = dates({ dateStyle: 'full', timeStyle: 'long' });

export const exactTime = (iso: string, language: string): string => exactIn(language).format(new Date(iso));

const calendarDateIn = dates({ dateStyle: 'medium' });

/** "Nov 22, 2026". */
export const calendarDate = (time: number | string, language: string): string =>
  calendarDateIn(language).format(new Date(time));

const monthDayIn = dates({ month: 'short', day: 'numeric', timeZone: 'UTC' });

/** "Nov 22" in UTC. */
export const monthDay = (day: string, language: string): string => monthDayIn(language).format(new Date(day));

const compactIn = perLanguage((locale) => new Intl.NumberFormat(locale, { notation: 'compact' }));

/** "1.2K". */
export const compactNumber = (count: number, language: string): string => compactIn(language).format(count);

/** "systems, users, and reports". */
export const wordList = (words: readonly string[], language: string): string =>
  new Intl.ListFormat(localeFor(language)).format(words);

const thisYearIn = dates({ month: 'short', day: 'numeric' });
const anyYearIn = dates({ month: 'short', day: 'numeric', year: 'numeric' });

/** "Oct 12", with the year if it is not the current one. */
export function shortDate(iso: string, now: number, language: string): string {
  const date = new Date(iso);
  const isThisYear = date.getFullYear() === new Date(now).getFullYear();
  return (isThisYear ? thisYearIn : anyYearIn)(language).format(date);
}

const clockIn = dates({ timeStyle: 'short' });
const weekdayIn = dates({ weekday: 'short', hour: 'numeric', minute: 'numeric' });

/** "2:00 PM", on a later day "Mon 2:00 PM", and before today or after a week "Oct 12". */
export function clockTime(iso: string, now: number, language: string): string {
  const days = -daysSince(Date.parse(iso), now);
  if (days < 0 || days > 6) return shortDate(iso, now, language);
  return (days > 0 ? weekdayIn : clockIn)(language).format(new Date(iso));
}

const dayNameIn = perLanguage((locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }));

/** "today", "yesterday", "Oct 12": what the things of a day are under. */
export function dayName(iso: string, now: number, language: string): string {
  const days = Math.max(0, daysSince(Date.parse(iso), now));
  return days < 2 ? dayNameIn(language).format(-days, 'day') : shortDate(iso, now, language);
}

/** By the calendar of the browser's time zone. */
function daysSince(past: number, now: number): number {
  const midnight = (time: number) => new Date(time).setHours(0, 0, 0, 0);
  return Math.round((midnight(now) - midnight(past)) / DAY_MS);
}

const wholeIn = perLanguage((locale) => new Intl.NumberFormat(locale));

export const wholeNumber = (count: number, language: string): string => wholeIn(language).format(count);

const timestampIn = dates({ dateStyle: 'medium', timeStyle: 'short' });

/** "Nov 23, 2026, 2:00 PM". */
export const timestamp = (iso: string, language: string): string => timestampIn(language).format(new Date(iso));

/** "45 seconds", "15 minutes", "7 days": how long to wait. */
export function duration(seconds: number, language: string): string {
  const [unit, size] = LENGTHS.find(([, each]) => seconds >= each && seconds % each === 0) ?? lengthOf(seconds);
  const format = new Intl.NumberFormat(localeFor(language), { style: 'unit', unit, unitDisplay: 'long' });
  return format.format(Math.ceil(seconds / size));
}

const LENGTHS = [
  ['day', 86_400],
  ['hour', 3600],
] as const;

const lengthOf = (seconds: number) => (seconds < 90 ? (['second', 1] as const) : (['minute', 60] as const));

/** Makes the formats of the list. The browser needs long for its first ones, so a page does this while it is loading. */
export function prepareFormats(language: string): void {
  timestampIn(language).format(0);
  relativeIn(language).format(0, 'day');
  wholeIn(language).format(0);
}
