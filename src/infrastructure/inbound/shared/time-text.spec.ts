import { expect, it } from '@jest/globals';
import { timeIn } from './time-text.js';

it.each([
  ['2027-03-29T00:30:00Z', '2027-03-29T00:30:00.000Z'],
  ['2028-02-29T23:59:59.123456+02:00', '2028-02-29T21:59:59.123Z'],
])('reads %s', (text, time) => expect(timeIn(text)?.toISOString()).toBe(time));

it.each(['2027-02-29T00:00:00Z', '2027-13-01T00:00:00Z', '2027-03-29', '2027-03-29 00:30:00+00', '1800000000', ''])(
  'reads no time in %j',
  (text) => expect(timeIn(text)).toBeUndefined(),
);
