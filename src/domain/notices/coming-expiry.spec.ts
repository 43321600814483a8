import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DAY_MS, HOUR_MS } from '../time.js';
import { dueExpiryNotice } from './coming-expiry.js';

const BORN = new Date('2026-03-01T12:00:00Z');

/** The notice that is due for a key with this lifetime when it has so many days left. */
function due(lifetimeDays: number, leftDays: number, noticeDays = [30, 7, 1], notifiedDays?: number) {
  const expiresAt = new Date(BORN.getTime() + lifetimeDays * DAY_MS);
  const now = new Date(expiresAt.getTime() - leftDays * DAY_MS);
  return dueExpiryNotice({ createdAt: BORN, expiresAt, endsAt: null }, noticeDays, notifiedDays, now);
}

describe('of a key of 90 days', () => {
  test.each([
    [90, undefined, undefined],
    [30.001, undefined, undefined],
    [30, undefined, 30],
    [29, 30, undefined],
    [8, undefined, 30],
    [7, 30, 7],
    [7, undefined, 7],
    [5, 7, undefined],
    [1, 7, 1],
    [1, 30, 1],
    [0.5, 1, undefined],
    [0.001, undefined, 1],
    [0, undefined, undefined],
    [-1, undefined, undefined],
  ])('with %d days left and %p told, %p are due', (left, told, expected) => {
    expect(due(90, left, undefined, told)).toBe(expected);
  });

  test('nothing is due where nothing is to be told', () => expect(due(90, 1, [])).toBeUndefined());

  test('what settings named in the past counts as told', () => {
    expect(due(90, 10, [14], 14)).toBeUndefined();
    expect(due(90, 10, [14], 10)).toBeUndefined();
    expect(due(90, 10, [14], 15)).toBe(14);
  });
});

test('a key that its successor ends is not told of: what uses it has the new one', () => {
  const expiresAt = new Date(BORN.getTime() + 90 * DAY_MS);
  const now = new Date(expiresAt.getTime() - DAY_MS);
  for (const endsAt of [new Date(now.getTime() + HOUR_MS), expiresAt]) {
    expect(dueExpiryNotice({ createdAt: BORN, expiresAt, endsAt }, [1], undefined, now)).toBeUndefined();
  }
});

test.each([
  [60, 30, 30],
  [59, 30, undefined],
  [14, 7, 7],
  [13, 7, undefined],
  [2, 1, 1],
  [1, 1, undefined],
])('a key of %d days is told of %d days only if that is no more than half', (lifetime, left, expected) => {
  expect(due(lifetime, left)).toBe(expected);
});

describe('whenever it is looked at', () => {
  const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 364 }), { maxLength: 5 });
  const lifetimes = fc.integer({ min: 1, max: 365 });
  /** Hours before the expiry at which the job runs: every hour, or after a week of standstill or suspension. */
  const looks = fc
    .array(fc.integer({ min: -48, max: 366 * 24 }), { maxLength: 60 })
    .map((hours) => hours.toSorted((one, other) => other - one));

  /** The notices that these runs send, each with the days that are left by then. */
  function told(noticeDays: number[], lifetimeDays: number, hoursBefore: number[]) {
    const tellings: { days: number; left: number }[] = [];
    for (const left of hoursBefore.map((hours) => (hours * HOUR_MS) / DAY_MS).filter((each) => each <= lifetimeDays)) {
      const days = due(lifetimeDays, left, noticeDays, tellings.at(-1)?.days);
      if (days !== undefined) tellings.push({ days, left });
    }
    return tellings;
  }

  test('each number of days is told once at most, fewer and fewer of them, and none too early or too late', () => {
    fc.assert(
      fc.property(numbers, lifetimes, looks, (noticeDays, lifetime, hours) => {
        const tellings = told(noticeDays, lifetime, hours);
        const days = tellings.map((each) => each.days);
        expect(days).toEqual([...new Set(days)].sort((one, other) => other - one));
        for (const telling of tellings) {
          expect(noticeDays).toContain(telling.days);
          expect(telling.days).toBeLessThanOrEqual(lifetime / 2);
          expect(telling.left).toBeLessThanOrEqual(telling.days);
          expect(telling.left).toBeGreaterThan(0);
        }
      }),
    );
  });

  test('after a look the fewest days that were reached are told, unless they are more than half', () => {
    fc.assert(
      fc.property(numbers, lifetimes, looks, (noticeDays, lifetime, hours) => {
        const last = hours.findLast((each) => each > 0 && each / 24 <= lifetime);
        fc.pre(last !== undefined);
        const reached = noticeDays.filter((days) => last! / 24 <= days);
        const fewest = reached.toSorted((one, other) => one - other)[0];
        const expected = fewest !== undefined && fewest <= lifetime / 2 ? fewest : undefined;
        const latest = told(noticeDays, lifetime, hours).at(-1)?.days;
        if (expected !== undefined) expect(latest).toBe(expected);
        else expect(latest).toBeUndefined();
      }),
    );
  });

  test('one look tells of one number of days at most, however many were reached since the last', () => {
    expect(told([30, 7, 1], 90, [40 * 24, 5])).toEqual([{ days: 1, left: 5 / 24 }]);
  });
});
