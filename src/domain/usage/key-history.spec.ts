import { expect, test } from '@jest/globals';
import { recentUse } from './key-history.js';

test('recentUse has one number for each of the last 30 days, oldest first, and 0 for a day without requests', () => {
  const today = 20_000;
  const days = [
    { day: today, granted: 1, refused: 2 },
    { day: today - 29, granted: 3, refused: 4 },
    { day: today - 30, granted: 5, refused: 6 },
    { day: today + 1, granted: 7, refused: 8 },
  ];
  const none = Array.from({ length: 28 }, () => 0);
  expect(recentUse(days, today)).toEqual({ granted: [3, ...none, 1], refused: [4, ...none, 2] });
  expect(recentUse([], today)).toEqual({ granted: [0, ...none, 0], refused: [0, ...none, 0] });
});
