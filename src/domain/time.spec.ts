import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { earliest, later, secondsAfter, dayText, utcDay } from './time.js';
import { firstKeptDay } from './usage/key-history.js';

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

test('utcDay counts days in UTC, and dayText writes them in ISO 8601', () => {
  const date = fc.date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });
  fc.assert(fc.property(date, (at) => expect(dayText(utcDay(at))).toBe(at.toISOString().slice(0, 10))));
  expect(utcDay(new Date('1970-01-01T23:59:59.999Z'))).toBe(0);
});

test('firstKeptDay is 89 days before today, so that 90 days are kept', () => {
  expect(dayText(firstKeptDay(utcDay(new Date('2026-03-31'))))).toBe('2026-01-01');
});
