import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { POLICY } from '#test/support/application/calls.js';
import type { AccessLevel } from '../accounts/access-level.js';
import { LatchkeyError } from '../errors.js';
import { ApiKey, keyNotActive } from './api-key.js';
import type { KeyOrder } from './key-state.js';
import { KeyString } from './key-string.js';
import {
  API_KEY_STATUSES,
  dueEnd,
  isOpen,
  type KeyTimes,
  statusAt,
  NEVER_PAUSED,
  type PausedBy,
  pauseEnd,
  wasPaused,
} from './key-status.js';
import { isProof } from './key-restrictions.js';

const NOW = new Date('2026-03-29T00:30:00.000Z');
const at = (ms: number) => new Date(NOW.getTime() + ms);

const DAY = 24 * 60 * 60 * 1000;

function order(part: Partial<KeyOrder> = {}): KeyOrder {
  return { id: 'k1', ownerId: 'u1', name: 'CI', access: 'read-and-write', expiresInDays: 1, ...part };
}

function issue(part: Partial<KeyOrder> = {}): ApiKey {
  return ApiKey.issue(order(part), KeyString.generate('lk'), NOW);
}

describe('ApiKey.issue', () => {
  test('keeps the digest and not the secret', () => {
    const keyString = KeyString.generate('lk');
    const key = ApiKey.issue(order(), keyString, NOW);
    expect(key.snapshot()).toEqual({
      id: 'k1',
      ownerId: 'u1',
      createdBy: null,
      displayPrefix: null,
      name: 'CI',
      note: null,
      access: 'read-and-write',
      keyPrefix: 'lk',
      publicPart: keyString.publicPart,
      digest: keyString.digest(),
      permissions: null,
      allowedNetworks: null,
      createdAt: NOW,
      expiresAt: at(DAY),
      revokedAt: null,
      expiredAt: null,
      endsAt: null,
      replaces: null,
      replacedBy: null,
      priorEndsAt: null,
      graceSeconds: null,
      firstUsedAt: null,
      pausedUntil: null,
      adminPausedUntil: null,
    });
    expect([key.id, key.ownerId, key.snapshot().digest]).toEqual(['k1', 'u1', keyString.digest()]);
    expect(JSON.stringify(key.snapshot())).not.toContain(keyString.reveal().slice(-64));
  });

  test('sets the expiry to n times 24 hours, whatever the calendar does', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 365 }), (expiresInDays) => {
        expect(issue({ expiresInDays }).snapshot().expiresAt).toEqual(at(expiresInDays * DAY));
      }),
    );
  });

  test('keeps the name in NFC without surrounding spaces', () => {
    expect(issue({ name: '  cafe\u0301 ' }).snapshot().name).toBe('café');
  });

  test('names every invalid field', () => {
    const wrong = { name: '', access: 'admin' as AccessLevel, expiresInDays: 366 };
    expect(() => issue(wrong)).toThrow(
      expect.objectContaining({
        code: 'invalid_fields',
        details: { errors: ['name', 'access', 'expiresInDays'].map((field) => expect.objectContaining({ field })) },
      }),
    );
  });
});

describe('ApiKey.rename', () => {
  test('changes only what is given, and returns what the key was called before', () => {
    const key = issue({ note: 'Deploys' });
    expect(key.rename({ name: ' Release ' })).toEqual({ name: 'CI', note: 'Deploys' });
    expect(key.rename({ note: 'Publishes' })).toEqual({ name: 'Release', note: 'Deploys' });
    expect(key.rename({ note: ' ' })).toEqual({ name: 'Release', note: 'Publishes' });
    expect(key.snapshot()).toMatchObject({ name: 'Release', note: null });
  });

  test('returns undefined when nothing changes', () => {
    const key = issue({ note: 'Deploys' });
    expect([key.rename({}), key.rename({ name: 'CI', note: 'Deploys' })]).toEqual([undefined, undefined]);
  });

  test('names every invalid field, and changes nothing', () => {
    const key = issue();
    expect(() => key.rename({ name: '', note: 'a\nb' })).toThrow(
      'name must not be empty; note must not contain control characters',
    );
    expect(key.snapshot().name).toBe('CI');
  });
});

describe('The status of a key', () => {
  test('is expired from the millisecond of its expiry', () => {
    const key = issue();
    expect([key.status(NOW), key.status(at(DAY - 1)), key.status(at(DAY)), key.status(at(9 * DAY))]).toEqual([
      'active',
      'active',
      'expired',
      'expired',
    ]);
  });

  test('stays expired once the expiry was observed, whatever the clock shows', () => {
    const key = issue();
    expect([DAY - 1, DAY].map((ms) => key.isEndDue(at(ms)))).toEqual([false, true]);
    expect(key.endIfDue(at(DAY - 1))).toBeUndefined();
    expect(key.snapshot().expiredAt).toBeNull();
    expect(key.endIfDue(at(DAY))).toBe('expired');
    expect(key.endIfDue(at(DAY + 1))).toBeUndefined();
    expect(key.snapshot().expiredAt).toEqual(at(DAY));
    expect(key.status(NOW)).toBe('expired');
  });

  test('never changes from revoked to expired, or from expired to revoked', () => {
    const revoked = issue();
    revoked.revoke(NOW);
    expect(revoked.endIfDue(at(2 * DAY))).toBeUndefined();
    expect(revoked.status(at(2 * DAY))).toBe('revoked');

    const expired = issue();
    expect(() => expired.revoke(at(DAY))).toThrow(expect.objectContaining({ code: 'api_key_not_active' }));
    expect(expired.snapshot().revokedAt).toBeNull();
  });

  test('is named when a second revocation is refused', () => {
    const key = issue();
    key.revoke(NOW);
    expect(() => key.revoke(at(1))).toThrow('This API key is already revoked');
    expect(key.snapshot().revokedAt).toEqual(NOW);
    expect(keyNotActive('expired')).toMatchObject({
      message: 'This API key is already expired',
      details: { apiKeyStatus: 'expired' },
    });
  });

  test('is the same after the key was restored', () => {
    const state = { ...issue().snapshot(), expiredAt: at(5) };
    expect(ApiKey.restore(state).snapshot()).toEqual(state);
    expect(ApiKey.restore(state).status(NOW)).toBe('expired');
  });

  type Step = { readonly do: 'revoke' | 'expire' | 'look' | 'store and restore'; readonly at: number };
  const steps: fc.Arbitrary<Step[]> = fc.array(
    fc.record({
      do: fc.constantFrom('revoke' as const, 'expire' as const, 'look' as const, 'store and restore' as const),
      // The clock may jump back and forth, from before the creation to long after the expiry.
      at: fc.oneof(fc.integer({ min: -DAY, max: 3 * DAY }), fc.constantFrom(-1, 0, 1, DAY - 1, DAY, DAY + 1)),
    }),
    { maxLength: 30 },
  );

  test('never becomes active again, in any order of revocations, expiries and clock changes', () => {
    fc.assert(
      fc.property(steps, (taken) => {
        let key = issue();
        let ended: 'revoked' | 'expired' | undefined;
        for (const step of taken) {
          const now = at(step.at);
          if (step.do === 'revoke') {
            const before = key.status(now);
            try {
              key.revoke(now);
              expect(before).toBe('active');
              ended = 'revoked';
            } catch (error) {
              expect((error as LatchkeyError).details.apiKeyStatus).toBe(before);
              expect(before).not.toBe('active');
            }
          } else if (step.do === 'expire' && key.endIfDue(now)) {
            expect(ended).toBeUndefined();
            ended = 'expired';
          } else if (step.do === 'store and restore') key = ApiKey.restore({ ...key.snapshot() });
          if (ended) {
            expect([-9 * DAY, step.at, 0, DAY, 9 * DAY].map((ms) => key.status(at(ms)))).toEqual(
              new Array(5).fill(ended),
            );
          }
          const { revokedAt, expiredAt } = key.snapshot();
          expect(revokedAt && expiredAt).toBeFalsy();
        }
      }),
      { numRuns: 500 },
    );
  });
});

test('a key ends leases when it is revoked or a rotation with a short grace period begins, and not when it is renamed or ends by the clock', () => {
  const [revoked, rotated, long, renamed, expired, replaced] = [issue(), issue(), issue(), issue(), issue(), issue()];
  expect(revoked.endsLeases).toBe(false);
  revoked.revoke(NOW);
  const rotation = { id: 'k2', expiresInDays: 1, graceSeconds: 599, policy: POLICY };
  const successor = rotated.replaceBy(rotation, KeyString.generate('lk'), NOW);
  successor.firstUsed(NOW);
  long.replaceBy({ ...rotation, graceSeconds: 600 }, KeyString.generate('lk'), NOW);
  renamed.rename({ name: 'Other' });
  expired.endIfDue(at(DAY));
  replaced.endAfter(0, NOW);
  expect(replaced.status(NOW)).toBe('revoked');
  expect([revoked, rotated].map(({ endsLeases }) => endsLeases)).toEqual([true, true]);
  expect([successor, long, renamed, expired, replaced].some(({ endsLeases }) => endsLeases)).toBe(false);
});

describe('The status of a key', () => {
  const times = (expiresIn: number, ended: Partial<KeyTimes> = {}): KeyTimes => ({
    expiresAt: at(expiresIn),
    revokedAt: null,
    expiredAt: null,
    endsAt: null,
    ...ended,
  });

  test.each<[string, KeyTimes, string, boolean, string | undefined]>([
    ['a millisecond before its time', times(1), 'active', true, undefined],
    ['at its time', times(0), 'expired', true, 'expired'],
    ['after its time', times(-1), 'expired', true, 'expired'],
    ['its expiry recorded', times(-1, { expiredAt: at(-1) }), 'expired', false, undefined],
    ['its expiry recorded, and the clock set back', times(1, { expiredAt: at(2) }), 'expired', false, undefined],
    ['revoked before its time', times(1, { revokedAt: NOW }), 'revoked', false, undefined],
    ['revoked, and after its time', times(-1, { revokedAt: at(-2) }), 'revoked', false, undefined],
    ['revoked by a clock ahead of this one', times(1, { revokedAt: at(9) }), 'revoked', false, undefined],
    ['a millisecond before its successor ends it', times(9, { endsAt: at(1) }), 'active', true, undefined],
    ['when its successor ends it', times(9, { endsAt: NOW }), 'revoked', true, 'revoked'],
    ['ended by its successor, and after its time', times(-1, { endsAt: at(-2) }), 'revoked', true, 'revoked'],
    ['ended by both at the same time', times(-1, { endsAt: at(-1) }), 'expired', true, 'expired'],
    ['ended by its successor, recorded', times(9, { endsAt: at(-1), revokedAt: at(-1) }), 'revoked', false, undefined],
    [
      'expired, recorded, and to be ended by its successor',
      times(-1, { endsAt: at(-2), expiredAt: NOW }),
      'expired',
      false,
      undefined,
    ],
  ])('is right: %s', (_what, key, status, open, due) => {
    expect([statusAt(NOW, key), isOpen(key), dueEnd(NOW, key)]).toEqual([status, open, due]);
  });

  test('has these values, in this order', () => {
    expect(API_KEY_STATUSES).toEqual(['active', 'expired', 'revoked']);
  });
});

describe('Pauses', () => {
  const MINUTE = 60_000;
  const atMinute = (minutes: number) => new Date(NOW.getTime() + minutes * MINUTE);
  const PAUSED_ORDER = { id: 'k1', ownerId: 'u1', name: 'CI', access: 'read-only', expiresInDays: 1 } as const;

  describe('the end of a pause', () => {
    test('is the later of the two, while it is to come', () => {
      const both = { pausedUntil: atMinute(5), adminPausedUntil: atMinute(10) };
      expect(pauseEnd(both, atMinute(0))).toEqual(atMinute(10));
      expect(pauseEnd({ ...both, pausedUntil: atMinute(20) }, atMinute(10))).toEqual(atMinute(20));
      expect(pauseEnd({ ...both, adminPausedUntil: null }, atMinute(4))).toEqual(atMinute(5));
      expect(pauseEnd(both, atMinute(10))).toBeNull();
      expect(pauseEnd(NEVER_PAUSED, atMinute(0))).toBeNull();
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
          const key = ApiKey.issue(PAUSED_ORDER, keyString, NOW);
          const ends = { owner: -1, administrator: -1 };
          let [now, ever] = [0, false];
          for (const each of steps) {
            now += each.after;
            if (each.minutes === null) {
              key.resume(each.by, atMinute(now));
              ends[each.by] = Math.min(ends[each.by], now);
            } else {
              key.pause(each.by, atMinute(now + each.minutes), atMinute(now));
              ends[each.by] = Math.max(ends[each.by], now + each.minutes);
              ever = true;
            }
            const end = Math.max(ends.owner, ends.administrator);
            expect(key.pausedUntil(atMinute(now))).toEqual(end > now ? atMinute(end) : null);
            expect(key.status(atMinute(now))).toBe('active');
          }
          expect(wasPaused(key.snapshot())).toBe(ever);
          expect(isProof(keyString.digest(), key.snapshot())).toBe(true);
          // An instance of a release without pauses compares the digest as it is.
          expect(key.snapshot().digest.equals(keyString.digest())).toBe(!ever);
        }),
      );
    });

    test('ends leases by a pause that changes something, and by no resumption', () => {
      const keyOf = () => ApiKey.restore(ApiKey.issue(PAUSED_ORDER, KeyString.generate('lk'), NOW).snapshot());
      const paused = keyOf();
      expect([paused.pause('owner', atMinute(5), NOW), paused.endsLeases]).toEqual([true, true]);
      const again = ApiKey.restore(paused.snapshot());
      expect([again.pause('owner', atMinute(4), NOW), again.endsLeases]).toEqual([false, false]);
      expect([again.resume('owner', atMinute(1)), again.endsLeases]).toEqual([true, false]);
      expect(again.resume('administrator', atMinute(1))).toBe(false);
    });

    test('is not paused once it has ended', () => {
      const key = ApiKey.issue(PAUSED_ORDER, KeyString.generate('lk'), NOW);
      key.pause('owner', atMinute(60), NOW);
      key.revoke(atMinute(1));
      expect(key.pausedUntil(atMinute(2))).toBeNull();
      expect(() => key.pause('owner', atMinute(90), atMinute(2))).toThrow(
        expect.objectContaining({ code: 'api_key_not_active' }),
      );
      expect(() => key.resume('owner', atMinute(2))).toThrow(expect.objectContaining({ code: 'api_key_not_active' }));
    });
  });
});
