import { afterEach, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { MemoryRateLimiter } from './memory-rate-limiter.js';

const MINUTE_MICROS = 60_000_000;
const SLOW = { perSecond: 1, burst: 120 };

afterEach(() => void jest.useRealTimers());

test('admits the whole burst on a clock with fractions of a microsecond', () => {
  const limit = { perSecond: 20, burst: 100 };
  const moments = fc.tuple(fc.nat({ max: 1e8 }), fc.nat({ max: 1e6 })).map(([whole, part]) => whole + part / 1e6);
  fc.assert(
    fc.property(moments, (now) => {
      const limiter = new MemoryRateLimiter(() => now);
      for (let remaining = 99; remaining >= 0; remaining -= 1) {
        expect(limiter.charge('k', limit)).toMatchObject({ admitted: true, remaining });
      }
      expect(limiter.charge('k', limit)).toMatchObject({ admitted: false, remaining: 0, retryAfterMicros: 50_000 });
      limiter.close();
    }),
    { numRuns: 500 },
  );
});

test('sweeping removes only full buckets', () => {
  jest.useFakeTimers();
  let now = 0;
  const limiter = new MemoryRateLimiter(() => now);
  for (let n = 0; n < 120; n += 1) limiter.charge('busy', SLOW);
  limiter.charge('rested', SLOW);
  now = MINUTE_MICROS;
  jest.advanceTimersByTime(MINUTE_MICROS / 1000);
  expect(limiter.charge('busy', SLOW)).toMatchObject({ admitted: true, remaining: 59 });
  expect(limiter.charge('rested', SLOW)).toMatchObject({ admitted: true, remaining: 119 });
  limiter.close();
  expect(jest.getTimerCount()).toBe(0);
});

test.each([
  ['a microsecond before it is full', 1, 118],
  ['the moment it is full', 0, 119],
])('a bucket keeps its tokens when it is swept %s', (_, early, remaining) => {
  jest.useFakeTimers();
  let now = 0;
  const limiter = new MemoryRateLimiter(() => now);
  for (let n = 0; n < 60; n += 1) limiter.charge('k', SLOW);
  now = MINUTE_MICROS - early;
  jest.advanceTimersByTime(MINUTE_MICROS / 1000);
  expect(limiter.charge('k', SLOW)).toMatchObject({ admitted: true, remaining });
  limiter.close();
});
