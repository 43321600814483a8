import { expect, test } from '@jest/globals';
import { later } from './time.js';

test('later returns the later of two times, in either order', () => {
  const [one, other] = [new Date(1), new Date(2)];
  expect([later(one, other), later(other, one), later(one, one)]).toEqual([other, other, one]);
});
