import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ApiKey } from './api-key.js';
import { KeyString } from './key-string.js';
import { NEVER_PAUSED, pauseEnd, type PausedBy, wasPaused } from './key-pauses.js';
import { isProof } from './key-restrictions.js';

const MINUTE = 60_000;
const NOW = new Date('2026-03-29T00:30:00.000Z');
const at = (minutes: number) => new Date(NOW.getTime() + minutes * MINUTE);
const ORDER = { id: 'k1', ownerId: 'u1', name: 'CI', access: 'read-only', expiresInDays: 1 } as const;

describe('the end of a pause', () => {
  test('is the later of the two, while it is to come', () => {
    const both = { pausedUntil: at(5), adminPausedUntil: at(10) };
    expect(pauseEnd(both, at(0))).toEqual(at(10));
    expect(pauseEnd({ ...both, pausedUntil: at(20) }, at(10))).toEqual(at(20));
    expect(pauseEnd({ ...both, adminPausedUntil: null }, at(4))).toEqual(at(5));
    expect(pauseEnd(both, at(10))).toBeNull();
    expect(pauseEnd(NEVER_PAUSED, at(0))).toBeNull();
  });
});

describe('ApiKey', () => {
  test('is paused exactly when a naive judge says so, after any pauses and resumptions of both', () => {
    const by = fc.constantFrom<PausedBy>('owner', 'administrator');
    const step = fc.record({
      by,
      minutes: fc.option(fc.integer({ min: 1, max: 90 })),
      after: fc.integer({ min: 0, max: 60 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const keyString = KeyString.generate('lk');
        const key = ApiKey.issue(ORDER, keyString, NOW);
        const ends = { owner: -1, administrator: -1 };
        let [now, ever] = [0, false];
        for (const each of steps) {
          now += each.after;
          if (each.minutes === null) {
            key.resume(each.by, at(now));
            ends[each.by] = Math.min(ends[each.by], now);
          } else {
            key.pause(each.by, at(now + each.minutes), at(now));
            ends[each.by] = Math.max(ends[each.by], now + each.minutes);
            ever = true;
          }
          const end = Math.max(ends.owner, ends.administrator);
          expect(key.pausedUntil(at(now))).toEqual(end > now ? at(end) : null);
          expect(key.status(at(now))).toBe('active');
        }
        expect(wasPaused(key.snapshot())).toBe(ever);
        expect(isProof(keyString.digest(), key.snapshot())).toBe(true);
        // An instance of a release without pauses compares the digest as it is.
        expect(key.snapshot().digest.equals(keyString.digest())).toBe(!ever);
      }),
    );
  });

  test('ends leases by a pause that changes something, and by no resumption', () => {
    const keyOf = () => ApiKey.restore(ApiKey.issue(ORDER, KeyString.generate('lk'), NOW).snapshot());
    const paused = keyOf();
    expect([paused.pause('owner', at(5), NOW), paused.endsLeases]).toEqual([true, true]);
    const again = ApiKey.restore(paused.snapshot());
    expect([again.pause('owner', at(4), NOW), again.endsLeases]).toEqual([false, false]);
    expect([again.resume('owner', at(1)), again.endsLeases]).toEqual([true, false]);
    expect(again.resume('administrator', at(1))).toBe(false);
  });

  test('is not paused once it has ended', () => {
    const key = ApiKey.issue(ORDER, KeyString.generate('lk'), NOW);
    key.pause('owner', at(60), NOW);
    key.revoke(at(1));
    expect(key.pausedUntil(at(2))).toBeNull();
    expect(() => key.pause('owner', at(90), at(2))).toThrow(expect.objectContaining({ code: 'api_key_not_active' }));
    expect(() => key.resume('owner', at(2))).toThrow(expect.objectContaining({ code: 'api_key_not_active' }));
  });
});
