import { expect, test } from '@jest/globals';
import { pauseAfterTurn } from './report-turn.js';

test('pauses one second after the first turn that failed, twice as long after the next one, and eight at most', () => {
  expect([0, 1, 2, 3, 4, 100].map(pauseAfterTurn)).toEqual([1000, 2000, 4000, 8000, 8000, 8000]);
});
