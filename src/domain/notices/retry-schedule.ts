import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time.js';

/** From one try to the next. Growing, so that a receiver that is away for minutes is late by minutes, and for a day by hours. */
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

/** After this a message is not tried again, however often it was: a sender that was away has tried it less. */
export const TRIED_FOR_MS = PAUSES_MS.reduce((sum, pause) => sum + pause, 0);

/** How long a message is kept that was given up. */
export const FAILED_KEPT_MS = 30 * DAY_MS;

/** How long to wait after so many tries in vain; undefined when that was the last. */
export function pauseAfter(tries: number): number | undefined {
  return PAUSES_MS[tries - 1];
}
