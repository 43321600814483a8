import { expect, test } from '@jest/globals';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time.js';
import { FAILED_KEPT_MS, isTriedSooner, pauseAfter, PLANNED_AT_MS, TRIED_FOR_MS } from './retry-schedule.js';

test('A message is tried ten times within four days, with growing pauses', () => {
  const pauses = Array.from({ length: 9 }, (_, index) => pauseAfter(index + 1, PLANNED_AT_MS[index]!)!);
  expect(pauses).toEqual([...pauses].sort((one, other) => one - other));
  expect(pauses[0]).toBe(5000);
  expect(pauses.at(-1)).toBe(DAY_MS);
  expect(pauseAfter(10, TRIED_FOR_MS)).toBeUndefined();
  expect(pauseAfter(1, TRIED_FOR_MS)).toBeUndefined();
  expect(TRIED_FOR_MS).toBe(pauses.reduce((sum, pause) => sum + pause, 0));
  expect(TRIED_FOR_MS).toBe(3 * DAY_MS + 3 * HOUR_MS + 35 * MINUTE_MS + 5000);
  expect(FAILED_KEPT_MS).toBe(30 * DAY_MS);
});

test('A message that had extra attempts still gets the planned ones, and is given up no sooner', () => {
  expect(pauseAfter(12, HOUR_MS)).toBe(PLANNED_AT_MS[4]! - HOUR_MS);
  expect(pauseAfter(12, TRIED_FOR_MS - 1)).toBe(1);
});

test('A message that was not tried for days, since nothing ran, is tried again after a short pause', () => {
  expect(pauseAfter(1, 2 * DAY_MS)).toBe(5000);
});

test('A message is tried sooner until it had two attempts more than planned for its age', () => {
  const tries = (ageMs: number) => Array.from({ length: 12 }, (_, index) => isTriedSooner(index, ageMs)).indexOf(false);
  expect(PLANNED_AT_MS.map(tries)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, -1]);
  expect(tries(4999)).toBe(3);
});
