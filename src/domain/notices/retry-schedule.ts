import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time.js';

/** The pause after each attempt: after an outage of minutes notices are late by minutes, after a day by hours. */
const PAUSES_MS = [
  5000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** The ages at which a message is tried while its receiver accepts nothing. */
export const PLANNED_AT_MS: readonly number[] = [0, ...PAUSES_MS].map((_, tries) =>
  PAUSES_MS.slice(0, tries).reduce((sum, pause) => sum + pause, 0),
);

/** A message is given up at this age. After an outage of our own it may have been tried less often by then. */
export const TRIED_FOR_MS = PLANNED_AT_MS.at(-1)!;

export const FAILED_KEPT_MS = 30 * DAY_MS;

/** A message that is due within this time need not be tried sooner. */
export const SOON_MS = PAUSES_MS[0]!;

/** The most attempts that a message gets in addition to those planned for its age, while its receiver accepts others. */
export const EXTRA_TRIES = 2;

/** Undefined after the last attempt. Extra attempts replace none of the planned ones. */
export function pauseAfter(tries: number, ageMs: number): number | undefined {
  const next = PLANNED_AT_MS.find((at) => at > ageMs);
  return next && Math.min(PAUSES_MS[tries - 1] ?? Infinity, next - ageMs);
}

/** Whether a waiting message gets an extra attempt. It gets only a few, because the receiver may refuse just this one. */
export function isTriedSooner(tries: number, ageMs: number): boolean {
  return tries - PLANNED_AT_MS.filter((at) => at <= ageMs).length < EXTRA_TRIES;
}
