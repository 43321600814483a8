// Has few imports, because test/contracts/screen-history.spec.ts runs it without a bundler.
import type { AddressUse, DayCount } from '../api/types.js';
import { ADDRESSES_KEPT } from '../rules.js';
import type { history } from '../texts/english/history.js';

const DAY_MS = 86_400_000;
const NEW_FOR_MS = 7 * DAY_MS;
/** The most grid lines of a chart, next to the one at zero. */
const MAX_LINES = 4;

interface UsageOfDays {
  /** Every day, oldest first. */
  readonly days: readonly DayCount[];
  /** The round numbers on the axis, from 0 up to at least the busiest day. */
  readonly lines: readonly number[];
  readonly granted: number;
  readonly refused: number;
}

/**
 * @param counts the days with requests, oldest first
 * @param length the number of days up to today
 */
export function usageOf(counts: readonly DayCount[], now: number, length: number): UsageOfDays {
  const byDay = new Map(counts.map((count) => [count.day, count]));
  const days = daysUntil(lastDay(counts, now), length).map((day) => byDay.get(day) ?? { day, granted: 0, refused: 0 });
  const sum = (of: 'granted' | 'refused') => days.reduce((total, count) => total + count[of], 0);
  const most = Math.max(...days.map(({ granted, refused }) => granted + refused));
  return { days, lines: linesUpTo(most), granted: sum('granted'), refused: sum('refused') };
}

/** With steps of 1, 2 or 5 times a power of ten. */
function linesUpTo(most: number): readonly number[] {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, most / MAX_LINES))));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each * MAX_LINES >= most)!;
  const count = Math.max(1, Math.ceil(most / step));
  return Array.from({ length: count + 1 }, (_, line) => line * step);
}

/** The clock of the service may be ahead of the browser's. */
function lastDay(counts: readonly DayCount[], now: number): string {
  const today = dayOf(now);
  const last = counts.at(-1)?.day ?? today;
  return last > today ? last : today;
}

function daysUntil(last: string, length: number): string[] {
  const end = Date.parse(last);
  return Array.from({ length }, (_, index) => dayOf(end - (length - 1 - index) * DAY_MS));
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** An address that appeared within the last week, of a key that is older. Each address of a new key is new. */
export function isNewAddress(firstAt: string, createdAt: string, now: number): boolean {
  const isRecent = (iso: string) => now - Date.parse(iso) < NEW_FOR_MS;
  return isRecent(firstAt) && !isRecent(createdAt);
}

interface Week {
  /** Accepted ones. */
  readonly requests: number;
  /** From which some of them came. */
  readonly addresses: number;
  /** More addresses may have been used: the service keeps the last few, denied ones among them. */
  readonly isAtLeast: boolean;
  /** Those of them that appeared in these days, the last one first. */
  readonly isNew: readonly AddressUse[];
}

/**
 * What a key did in the seven days in UTC that end with a time.
 * @param end now, or when the key ended
 */
export function weekUntil(
  { uses, days, createdAt }: { uses: readonly AddressUse[]; days: readonly DayCount[]; createdAt: string },
  end: number,
): Week {
  const week = daysUntil(dayOf(end), 7);
  const used = uses.filter((use) => isAccepted(use) && use.lastAt.slice(0, 10) >= week[0]!);
  return {
    requests: days.reduce((sum, { day, granted }) => sum + (week.includes(day) ? granted : 0), 0),
    addresses: used.length,
    isAtLeast: uses.length >= ADDRESSES_KEPT,
    isNew: used
      .filter(({ firstAt }) => isNewAddress(firstAt, createdAt, end))
      .toSorted((one, other) => Date.parse(other.firstAt) - Date.parse(one.firstAt)),
  };
}

/** Whether any request from an address was accepted. Where none was, its last request is the rejected one. */
export function isAccepted({ lastAt, lastDenial }: { lastAt: string; lastDenial?: { at: string } }): boolean {
  return lastAt !== lastDenial?.at;
}

/**
 * The sentence for a rejected request; without its reason for one that a newer service may know.
 * @param has what the key is limited to; null: everything that its owner may
 */
export function whyDenied(
  { reason, operation, permission }: NonNullable<AddressUse['lastDenial']>,
  words: (typeof history)['denied'],
  has: readonly string[] | null,
): string {
  const asked = permission ?? (Object.hasOwn(words.operation, operation) ? words.operation[operation]! : operation);
  const why = Object.hasOwn(words.reason, reason) ? words.reason[reason]!(asked) : words.other;
  return reason === 'missing-permission' && has ? `${why}; ${words.has(has.join(', '))}` : why;
}
