import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { POLICY } from '#test/support/application/calls.js';
import { ApiKey } from '../keys/api-key.js';
import { KeyString } from '../keys/key-string.js';
import { OwnerKeys } from '../keys/owner-keys.js';
import { DAY_MS, HOUR_MS } from '../time.js';
import { DUE_NOTICES, dueExpiryNotice, noticeDaysOf } from './due-notices.js';

const BORN = new Date('2026-03-01T12:00:00Z');
const after = (days: number) => new Date(BORN.getTime() + days * DAY_MS);

const issued = (expiresInDays: number) =>
  ApiKey.issue(
    { id: randomUUID(), ownerId: 'ada', name: 'CI', access: 'read-only', expiresInDays },
    KeyString.generate('lk'),
    BORN,
  );

describe('api_key.expiring', () => {
  /** The notice that is due for a key with this lifetime when it has so many days left. */
  function due(lifetimeDays: number, leftDays: number, days = [30, 7, 1], sentDays?: number) {
    const expiresAt = after(lifetimeDays);
    const now = new Date(expiresAt.getTime() - leftDays * DAY_MS);
    return dueExpiryNotice({ createdAt: BORN, expiresAt, endsAt: null }, days, sentDays, now);
  }

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
  ])('of a key of 90 days: with %d days left and the notice for %p days sent, the one for %p is due', (...row) => {
    const [left, sent, expected] = row;
    expect(due(90, left, undefined, sent)).toBe(expected);
  });

  test('is never due without notice days', () => expect(due(90, 1, [])).toBeUndefined());

  test('is not due again for days that were set when an earlier notice was sent', () => {
    expect(due(90, 10, [14], 14)).toBeUndefined();
    expect(due(90, 10, [14], 10)).toBeUndefined();
    expect(due(90, 10, [14], 15)).toBe(14);
  });

  test('is not due for a key that ends because of its successor', () => {
    const expiresAt = after(90);
    const now = after(89);
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
  ])(
    'of a key of %d days is due for %d days only if that is at most half of its lifetime',
    (lifetime, left, expected) => {
      expect(due(lifetime, left)).toBe(expected);
    },
  );

  test('names the key and the days that it is about', () => {
    const key = issued(90);
    const rule = DUE_NOTICES['api_key.expiring'];
    const candidate = { key, replaced: undefined, sentDays: undefined };
    expect(rule(candidate, [30, 7], after(84))).toEqual({ notice: { type: 'api_key.expiring', key }, days: 7 });
    expect(rule({ ...candidate, sentDays: 7 }, [30, 7], after(84))).toBeUndefined();
  });

  describe('whenever the job runs', () => {
    const dayLists = fc.uniqueArray(fc.integer({ min: 1, max: 364 }), { maxLength: 5 });
    const lifetimes = fc.integer({ min: 1, max: 365 });
    /** Hours before the expiry at which the job runs: every hour, or after a week of standstill or suspension. */
    const runs = fc
      .array(fc.integer({ min: -48, max: 366 * 24 }), { maxLength: 60 })
      .map((hours) => hours.toSorted((one, other) => other - one));

    /** The notices that these runs send, each with the days that are left by then. */
    function sentBy(days: number[], lifetimeDays: number, hoursBefore: number[]) {
      const sent: { days: number; left: number }[] = [];
      for (const left of hoursBefore
        .map((hours) => (hours * HOUR_MS) / DAY_MS)
        .filter((each) => each <= lifetimeDays)) {
        const dueDays = due(lifetimeDays, left, days, sent.at(-1)?.days);
        if (dueDays !== undefined) sent.push({ days: dueDays, left });
      }
      return sent;
    }

    test('each number of days gets at most one notice, in falling order, within the days and before the expiry', () => {
      fc.assert(
        fc.property(dayLists, lifetimes, runs, (days, lifetime, hours) => {
          const sent = sentBy(days, lifetime, hours);
          const sentDays = sent.map((each) => each.days);
          expect(sentDays).toEqual([...new Set(sentDays)].sort((one, other) => other - one));
          for (const notice of sent) {
            expect(days).toContain(notice.days);
            expect(notice.days).toBeLessThanOrEqual(lifetime / 2);
            expect(notice.left).toBeLessThanOrEqual(notice.days);
            expect(notice.left).toBeGreaterThan(0);
          }
        }),
      );
    });

    test('the last run has sent the fewest days that were reached, unless they are more than half of the lifetime', () => {
      fc.assert(
        fc.property(dayLists, lifetimes, runs, (days, lifetime, hours) => {
          const last = hours.findLast((each) => each > 0 && each / 24 <= lifetime);
          fc.pre(last !== undefined);
          const reached = days.filter((each) => last! / 24 <= each);
          const fewest = reached.toSorted((one, other) => one - other)[0];
          const expected = fewest !== undefined && fewest <= lifetime / 2 ? fewest : undefined;
          expect(sentBy(days, lifetime, hours).at(-1)?.days).toBe(expected);
        }),
      );
    });

    test('one run sends one notice, however many days were reached since the last run', () => {
      expect(sentBy([30, 7, 1], 90, [40 * 24, 5])).toEqual([{ days: 1, left: 5 / 24 }]);
    });
  });
});

describe('api_key.rotation_unused', () => {
  const days = noticeDaysOf([])['api_key.rotation_unused'];
  const rule = DUE_NOTICES['api_key.rotation_unused'];

  function rotation() {
    const replaced = issued(30);
    const keys = new OwnerKeys([replaced]);
    const rotated = { id: randomUUID(), graceSeconds: 3600, expiresInDays: 20, policy: POLICY };
    const key = keys.rotate(replaced.id, rotated, KeyString.generate('lk'), BORN) as ApiKey;
    return { key, replaced, keys, sentDays: undefined };
  }

  test.each([
    [0, false],
    [6.999, false],
    [7, true],
    [19.999, true],
    [20, false],
  ])('after %d days is due: %p', (passed, expected) => {
    expect(rule(rotation(), days, after(passed)) !== undefined).toBe(expected);
  });

  test('names both keys, and is sent once', () => {
    const { key, replaced } = rotation();
    const notice = { type: 'api_key.rotation_unused', key, replacesKeyId: replaced.id };
    expect(rule({ key, replaced, sentDays: undefined }, days, after(8))).toEqual({ notice, days: 7 });
    expect(rule({ key, replaced, sentDays: 7 }, days, after(8))).toBeUndefined();
  });

  test('is not due once the new key was used', () => {
    const { keys, ...candidate } = rotation();
    keys.firstUsed(candidate.key.id, after(6.99));
    expect(rule(candidate, days, after(7))).toBeUndefined();
  });

  test.each(['key', 'replaced'] as const)('is not due once the %s has ended', (which) => {
    const candidate = rotation();
    candidate[which].revoke(after(1));
    expect(rule(candidate, days, after(7))).toBeUndefined();
  });

  test('is not due for a key that replaces no other, or another one', () => {
    const candidate = rotation();
    expect(rule({ ...candidate, replaced: undefined }, days, after(7))).toBeUndefined();
    expect(rule({ ...candidate, replaced: rotation().replaced }, days, after(7))).toBeUndefined();
  });

  test('is never due without notice days', () => expect(rule(rotation(), [], after(8))).toBeUndefined());
});
