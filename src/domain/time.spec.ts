import { describe, expect, test } from '@jest/globals';
import { earliest, later, secondsAfter } from './time.js';

const [one, other] = [new Date(1), new Date(2)];

describe('a time', () => {
  test('is the later of two, in either order', () => {
    expect([later(one, other), later(other, one)]).toEqual([other, other]);
  });

  test('is the earlier of two, in either order', () => {
    expect([earliest(one, other), earliest(other, one)]).toEqual([one, one]);
  });

  test('is a number of seconds after another', () => {
    expect(secondsAfter(new Date(500), 90)).toEqual(new Date(90_500));
  });
});
