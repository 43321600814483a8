import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { dayText, utcDay } from './utc-day.js';
import { firstKeptDay } from './key-history.js';

test('a day is that of UTC, and is written as ISO 8601 has it', () => {
  const date = fc.date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });
  fc.assert(fc.property(date, (at) => expect(dayText(utcDay(at))).toBe(at.toISOString().slice(0, 10))));
  expect(utcDay(new Date('1970-01-01T23:59:59.999Z'))).toBe(0);
});

test('today is the last of the 90 days that are told of', () => {
  expect(dayText(firstKeptDay(utcDay(new Date('2026-03-31'))))).toBe('2026-01-01');
});
