import { expect, test } from '@jest/globals';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time.js';
import { FAILED_KEPT_MS, pauseAfter, TRIED_FOR_MS } from './retry-schedule.js';

test('A message is tried ten times within four days, with growing pauses', () => {
  const pauses = Array.from({ length: 9 }, (_, index) => pauseAfter(index + 1)!);
  expect(pauses).toEqual([...pauses].sort((one, other) => one - other));
  expect(pauses[0]).toBe(5000);
  expect(pauses.at(-1)).toBe(DAY_MS);
  expect(pauseAfter(10)).toBeUndefined();
  expect(TRIED_FOR_MS).toBe(pauses.reduce((sum, pause) => sum + pause, 0));
  expect(TRIED_FOR_MS).toBe(3 * DAY_MS + 3 * HOUR_MS + 35 * MINUTE_MS + 5000);
  expect(FAILED_KEPT_MS).toBe(30 * DAY_MS);
});
