import type { DayCount } from '../api/types';
import { USAGE_KEPT_DAYS } from '../rules';
import { DAY_MS } from '../time/format';

/** The length of the longest bar, and the minimum for a bar that is not empty, in units of the drawing. */
const LONGEST = 72;
const SHORTEST = 3;

export interface Bar {
  readonly day: string;
  readonly granted: number;
  readonly refused: number;
}

export interface Chart {
  /** One for each of the days, oldest first; the numbers are lengths. */
  readonly bars: readonly Bar[];
  /** The room above the line and below it. */
  readonly above: number;
  readonly below: number;
  readonly total: { readonly granted: number; readonly refused: number };
  readonly busiest: DayCount;
}

/** Both kinds have one scale. A single request stays visible next to a million. */
export function chartOf(days: readonly DayCount[], now: number): Chart {
  const longest = Math.max(1, ...days.flatMap(({ granted, refused }) => [granted, refused]));
  const lengthOf = (count: number) => (count === 0 ? 0 : Math.max(SHORTEST, (count / longest) * LONGEST));
  const byDay = new Map(days.map((count) => [count.day, count]));
  const bars = daysUntil(lastDay(days, now)).map((day) => {
    const { granted = 0, refused = 0 } = byDay.get(day) ?? {};
    return { day, granted: lengthOf(granted), refused: lengthOf(refused) };
  });
  const sum = (of: 'granted' | 'refused') => days.reduce((total, count) => total + count[of], 0);
  return {
    bars,
    above: Math.max(...bars.map(({ granted }) => granted), LONGEST / 6),
    below: Math.max(...bars.map(({ refused }) => refused), LONGEST / 6),
    total: { granted: sum('granted'), refused: sum('refused') },
    busiest: days.reduce((most, count) => (requestsOf(count) > requestsOf(most) ? count : most)),
  };
}

export function requestsOf({ granted, refused }: DayCount): number {
  return granted + refused;
}

/** The clock of the service may be ahead of the browser's. */
function lastDay(days: readonly DayCount[], now: number): string {
  const today = dayOf(now);
  const last = days.at(-1)?.day ?? today;
  return last > today ? last : today;
}

function daysUntil(last: string): string[] {
  const end = Date.parse(last);
  return Array.from({ length: USAGE_KEPT_DAYS }, (_, index) => dayOf(end - (USAGE_KEPT_DAYS - 1 - index) * DAY_MS));
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
