import { describe, expect, it } from '@jest/globals';
import { secondsRoundedUp, toDate } from './time.js';

describe('secondsRoundedUp', () => {
  it.each([
    ['0', 0, 0],
    ['0', 1, 1],
    ['1', 0, 1],
    ['1', 1, 2],
    ['4', 999_999_999, 5],
    ['-1', -5, 0],
  ])('rounds %s s and %d ns to %d s', (seconds, nanos, expected) => {
    expect(secondsRoundedUp({ seconds, nanos })).toBe(expected);
  });

  it('returns 0 for an absent duration', () => expect(secondsRoundedUp(null)).toBe(0));
});

describe('toDate', () => {
  it('keeps the milliseconds', () => {
    expect(toDate({ seconds: '1900000000', nanos: 250_900_000 }).toISOString()).toBe('2030-03-17T17:46:40.250Z');
  });
});
