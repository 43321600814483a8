import { expect, test } from '@jest/globals';
import { gcra } from '../rate-limit.js';
import { chargeAhead } from './uses-ahead.js';

const LIMIT = { perSecond: 10, burst: 5 };

test('uses are charged as so many requests would be', () => {
  const first = gcra(LIMIT, undefined, 0);
  expect(chargeAhead(LIMIT, first.tat, 0, 3)).toEqual({ tat: 400_000, uses: 3 });
  const fifth = gcra(LIMIT, 400_000, 0);
  expect([fifth.decision.admitted, gcra(LIMIT, fifth.tat, 0).decision.admitted]).toEqual([true, false]);
});

test('no more uses are charged than the limit admits now', () => {
  expect(chargeAhead(LIMIT, 100_000, 0, 100)).toEqual({ tat: 500_000, uses: 4 });
  expect(chargeAhead(LIMIT, 500_000, 0, 100)).toEqual({ tat: 500_000, uses: 0 });
  expect(chargeAhead(LIMIT, 900_000, 0, 1)).toEqual({ tat: 900_000, uses: 0 });
  expect(chargeAhead(LIMIT, 0, 1_000_000, 9)).toEqual({ tat: 1_500_000, uses: 5 });
});
