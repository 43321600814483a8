import { describe, expect, test } from '@jest/globals';
import { type AccountLimits, givenLimits, limitProblems, rateLimitOf } from './account-limits.js';

const SERVICE = { perSecond: 20, burst: 100 };

function problems(limits: object): Record<string, string> {
  const found = Object.entries(limitProblems(limits as AccountLimits)).filter(([, problem]) => problem !== undefined);
  return Object.fromEntries(found) as Record<string, string>;
}

describe('the limits of an account', () => {
  test.each<[string, AccountLimits]>([
    ['none', {}],
    ['a burst alone', { burst: 1 }],
    ['a rate alone', { requestsPerSecond: 5 }],
    ['the lowest', { requestsPerSecond: 1, burst: 1, maxAccess: 'read-only', maxKeyDays: 1, maxActiveKeys: 1 }],
    [
      'the highest',
      { requestsPerSecond: 1e6, burst: 1e6, maxAccess: 'read-and-write', maxKeyDays: 365, maxActiveKeys: 100 },
    ],
  ])('may be %s', (_, limits) => expect(problems(limits)).toEqual({}));

  test.each([
    [{ requestsPerSecond: 0, burst: 5 }, { 'limits.requestsPerSecond': 'must be a whole number from 1 to 1000000' }],
    [{ requestsPerSecond: 5, burst: 0 }, { 'limits.burst': 'must be a whole number from 1 to 1000000' }],
    [{ burst: 1_000_001 }, { 'limits.burst': 'must be a whole number from 1 to 1000000' }],
    [{ burst: 1.5 }, { 'limits.burst': 'must be a whole number from 1 to 1000000' }],
    [{ maxKeyDays: 366 }, { 'limits.maxKeyDays': 'must be a whole number from 1 to 365' }],
    [{ maxActiveKeys: 101 }, { 'limits.maxActiveKeys': 'must be a whole number from 1 to 100' }],
    [{ maxAccess: 'admin' }, { 'limits.maxAccess': 'must be one of read-only, read-and-write' }],
  ])('can not be %j', (limits, expected) => expect(problems(limits)).toEqual(expected));

  test.each([
    [{}, SERVICE],
    [{ maxKeyDays: 3 }, SERVICE],
    [{ burst: 7 }, { perSecond: 20, burst: 7 }],
    [{ requestsPerSecond: 5 }, { perSecond: 5, burst: 100 }],
    [
      { requestsPerSecond: 500, burst: 900 },
      { perSecond: 500, burst: 900 },
    ],
  ])('%j replace the rate and burst of the service by what they have', (limits, expected) => {
    expect(rateLimitOf(limits, SERVICE)).toEqual(expected);
  });

  test('are stored without those that are not given', () => {
    expect(Object.keys(givenLimits({ burst: 3, maxKeyDays: undefined }))).toEqual(['burst']);
  });
});
