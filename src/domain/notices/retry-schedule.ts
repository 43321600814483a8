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

/** A message is given up at this age. After an outage of our own it may have been tried less often by then. */
export const TRIED_FOR_MS = PAUSES_MS.reduce((sum, pause) => sum + pause, 0);

/** How long a message is kept after it is given up. */
export const FAILED_KEPT_MS = 30 * DAY_MS;

/** Undefined after the last attempt. */
export function pauseAfter(tries: number): number | undefined {
  return PAUSES_MS[tries - 1];
}
