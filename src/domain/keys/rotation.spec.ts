import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { POLICY } from '#test/support/application/calls.js';
import { refused } from '#test/support/application/refused.js';
import { fixedFacts } from '../audit/event-details.js';
import { ApiKey } from './api-key.js';
import type { RotationOrder } from './key-state.js';
import { KeyString } from './key-string.js';
import { OwnerKeys } from './owner-keys.js';
import { cancelsRotation, type RevocationReason } from './key-change.js';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const DAY = 24 * HOUR;
const NOW = new Date('2026-03-29T00:30:00.000Z');
const at = (ms: number) => new Date(NOW.getTime() + ms);

let made = 0;
const orderOf = (part: Partial<RotationOrder> = {}): RotationOrder => {
  made += 1;
  return { id: `n${made}`, expiresInDays: undefined, graceSeconds: 3600, policy: POLICY, ...part };
};
const keyOf = (days: number, ms = 0) => {
  made += 1;
  const order = { id: `k${made}`, ownerId: 'u1', name: 'CI', access: 'read-only', expiresInDays: days } as const;
  return ApiKey.issue(order, KeyString.generate('lk'), at(ms));
};
const rotate = (keys: OwnerKeys, key: ApiKey, ms: number, part: Partial<RotationOrder> = {}) =>
  refused(() => keys.rotate(key.id, orderOf(part), KeyString.generate('lk'), at(ms)));
const changesOf = (keys: OwnerKeys) => keys.changes.map(({ key, became }) => [key.id, became]);

/** A key of ten days, and its successor, issued a second later. */
function pair(part: Partial<RotationOrder> = {}) {
  const old = keyOf(10);
  const keys = new OwnerKeys([old]);
  const next = rotate(keys, old, SECOND, part) as ApiKey;
  return { old, next, keys };
}

describe('OwnerKeys.rotate', () => {
  test('issues a key with the same name, access and lifetime, and links both keys', () => {
    const { old, next, keys } = pair();
    expect(next.snapshot()).toMatchObject({
      ownerId: 'u1',
      name: 'CI',
      access: 'read-only',
      createdAt: at(SECOND),
      expiresAt: at(SECOND + 10 * DAY),
      replaces: old.id,
      graceSeconds: 3600,
      firstUsedAt: null,
    });
    expect(next.snapshot().digest).not.toEqual(old.snapshot().digest);
    expect(old.snapshot()).toMatchObject({ replacedBy: next.id, endsAt: null, revokedAt: null });
    expect(fixedFacts(next)).toMatchObject({ replaces: old.id, graceSeconds: 3600 });
    expect(changesOf(keys)).toEqual([
      [old.id, 'rotated'],
      [next.id, 'created'],
    ]);
  });

  test.each([
    ['as many days as the old key', undefined, 10, 10],
    ['fewer days than the old key, if the policy allows no more', undefined, 7, 7],
    ['the days that were chosen', 3, 7, 3],
  ])('gives the successor %s', (_, expiresInDays, maxKeyDays, days) => {
    const { next } = pair({ expiresInDays, policy: { ...POLICY, maxKeyDays } });
    expect(next.snapshot().expiresAt).toEqual(at(SECOND + days * DAY));
  });

  test('works for an owner with more keys than the policy allows, also for a leaked key, and adds nothing to their number', () => {
    const policy = { ...POLICY, maxActiveKeys: 1 };
    const [one, two, three] = [keyOf(10), keyOf(10), keyOf(10)];
    const keys = new OwnerKeys([one, two, three]);
    expect(rotate(keys, one, SECOND, { policy })).toBeInstanceOf(ApiKey);
    expect(rotate(keys, two, SECOND, { policy, graceSeconds: 0, leaked: true })).toBeInstanceOf(ApiKey);
    expect(rotate(keys, three, SECOND, { policy })).toBeInstanceOf(ApiKey);
    expect(keys.countActive(at(SECOND))).toBe(3);
    expect(two.status(at(SECOND))).toBe('revoked');
  });

  test('passes the note on, and revokes an old key that leaked', () => {
    const old = keyOf(10);
    old.rename({ note: 'Deploys' });
    const keys = new OwnerKeys([old]);
    const next = rotate(keys, old, SECOND, { graceSeconds: 0, leaked: true }) as ApiKey;
    expect(next.snapshot().note).toBe('Deploys');
    expect(old.snapshot().revokedAt).toEqual(at(SECOND));
    expect(changesOf(keys)).toEqual([
      [old.id, 'rotated'],
      [next.id, 'created'],
      [old.id, 'revoked'],
    ]);
    expect(keys.changes.at(-1)).toMatchObject({ reason: 'leaked' });
  });

  test('gives the successor the requested lifetime', () => {
    expect(pair({ expiresInDays: 3 }).next.snapshot().expiresAt).toEqual(at(SECOND + 3 * DAY));
  });

  test('rotates for an owner with five keys, because the two count as one', () => {
    const five = [keyOf(10), keyOf(10), keyOf(10), keyOf(10), keyOf(10)];
    const keys = new OwnerKeys(five);
    for (const key of five) expect(rotate(keys, key, SECOND)).toBeInstanceOf(ApiKey);
    expect(keys.countActive(at(SECOND))).toBe(5);
  });

  test('refuses both keys of a rotation that is not complete', () => {
    const { old, next, keys } = pair();
    const pending = { code: 'rotation_pending', message: expect.stringContaining('revoke its old or its new key') };
    expect(rotate(keys, old, 2 * SECOND)).toMatchObject(pending);
    expect(rotate(keys, next, 2 * SECOND)).toMatchObject(pending);
    expect(keys.changes).toHaveLength(2);
  });

  test.each(['old', 'next'] as const)('rotates again once one of the two has ended: %s', (which) => {
    const parts = pair();
    parts.keys.revoke(parts[which].id, 'leaked', at(2 * SECOND));
    const left = which === 'old' ? parts.next : parts.old;
    const third = rotate(parts.keys, left, 3 * SECOND) as ApiKey;
    expect(third.snapshot().replaces).toBe(left.id);
    expect(left.snapshot().replacedBy).toBe(third.id);
  });

  test('refuses a key that has ended, and records an end by the clock', () => {
    const due = keyOf(1);
    const keys = new OwnerKeys([due]);
    const ended = { code: 'api_key_not_active', details: { apiKeyStatus: 'expired' } };
    expect(rotate(keys, due, DAY)).toMatchObject(ended);
    expect(changesOf(keys)).toEqual([[due.id, 'expired']]);
    const revoked = keyOf(1);
    revoked.revoke(NOW);
    const message = 'This API key is already revoked';
    expect(rotate(new OwnerKeys([revoked]), revoked, 0)).toMatchObject({ message });
    expect(rotate(new OwnerKeys([]), revoked, 0)).toMatchObject({ message: 'There is no such API key' });
  });

  test('refuses invalid fields', () => {
    expect(rotate(new OwnerKeys([keyOf(1)]), keyOf(1), 0)).toMatchObject({ message: 'There is no such API key' });
    const key = keyOf(1);
    expect(() => rotate(new OwnerKeys([key]), key, 0, { graceSeconds: -1 })).toThrow('graceSeconds must be');
    expect(key.snapshot().replacedBy).toBeNull();
  });
});

describe('The first use of a successor', () => {
  test('ends the old key after the grace period, and happens once', () => {
    const { old, next, keys } = pair();
    expect(keys.firstUsed(next.id, at(HOUR))).toBe(true);
    expect(next.snapshot().firstUsedAt).toEqual(at(HOUR));
    expect(old.snapshot().endsAt).toEqual(at(2 * HOUR));
    expect([old.status(at(2 * HOUR - 1)), old.status(at(2 * HOUR))]).toEqual(['active', 'revoked']);
    expect(changesOf(keys).slice(2)).toEqual([
      [next.id, 'used'],
      [old.id, 'ending'],
    ]);
    expect(keys.firstUsed(next.id, at(1.5 * HOUR))).toBe(true);
    expect(keys.changes).toHaveLength(4);
    expect(old.snapshot().endsAt).toEqual(at(2 * HOUR));
  });

  test('ends the old key at once without a grace period', () => {
    const { old, next, keys } = pair({ graceSeconds: 0 });
    keys.firstUsed(next.id, at(HOUR));
    expect(old.snapshot().revokedAt).toEqual(at(HOUR));
    expect(keys.changes.at(-1)).toEqual({ key: old, became: 'revoked', reason: 'rotated' });
  });

  test('never extends the lifetime of the old key', () => {
    const old = keyOf(1);
    const keys = new OwnerKeys([old]);
    const next = rotate(keys, old, 0, { graceSeconds: 7200 }) as ApiKey;
    keys.firstUsed(next.id, at(DAY - HOUR));
    expect(old.snapshot().endsAt).toEqual(at(DAY));
    expect(old.status(at(DAY))).toBe('expired');
    expect(old.endIfDue(at(DAY))).toBe('expired');
  });

  test('changes nothing for a key that is not active, and reports it', () => {
    const { old, next, keys } = pair();
    keys.revoke(next.id, 'leaked', at(2 * SECOND));
    expect(keys.firstUsed(next.id, at(HOUR))).toBe(false);
    expect(keys.firstUsed('other', at(HOUR))).toBe(false);
    expect([next.snapshot().firstUsedAt, old.snapshot().endsAt]).toEqual([null, null]);
  });

  test('changes nothing for a key that replaces none', () => {
    const key = keyOf(1);
    const keys = new OwnerKeys([key]);
    expect(keys.firstUsed(key.id, at(1))).toBe(true);
    expect(keys.changes).toEqual([]);
    expect(key.snapshot().firstUsedAt).toBeNull();
  });

  test('is recorded also when the old key has already ended', () => {
    const { old, next, keys } = pair();
    keys.revoke(old.id, 'owner', at(2 * SECOND));
    expect(keys.firstUsed(next.id, at(HOUR))).toBe(true);
    expect([next.snapshot().firstUsedAt, old.snapshot().endsAt]).toEqual([at(HOUR), null]);
  });
});

describe('The end of an old key', () => {
  test('is recorded once as of its time, whatever the clock shows', () => {
    const { old, next, keys } = pair();
    keys.firstUsed(next.id, at(HOUR));
    expect(old.endIfDue(at(2 * HOUR - 1))).toBeUndefined();
    expect(old.endIfDue(at(5 * HOUR))).toBe('revoked');
    expect(old.snapshot().revokedAt).toEqual(at(2 * HOUR));
    expect(old.endIfDue(at(5 * HOUR))).toBeUndefined();
    expect(old.status(NOW)).toBe('revoked');
  });

  test('is recorded as a rotation when a revocation observes it, which is refused', () => {
    const { old, next, keys } = pair();
    keys.firstUsed(next.id, at(HOUR));
    expect(refused(() => keys.revoke(old.id, 'owner', at(3 * HOUR)))).toMatchObject({
      details: { apiKeyStatus: 'revoked' },
    });
    expect(keys.changes.at(-1)).toEqual({ key: old, became: 'revoked', reason: 'rotated' });
  });
});

describe('A cancelled rotation', () => {
  const cancelling: readonly RevocationReason[] = ['owner', 'administrator'];
  test.each(cancelling)(
    'keeps the old key working, and counts it alone, when the %s revokes the successor',
    (reason) => {
      const { old, next, keys } = pair();
      keys.firstUsed(next.id, at(HOUR));
      keys.revoke(next.id, reason, at(1.5 * HOUR));
      expect(old.snapshot()).toMatchObject({ endsAt: null, replacedBy: null });
      expect(old.status(at(3 * HOUR))).toBe('active');
      expect(keys.countActive(at(3 * HOUR))).toBe(1);
      expect(changesOf(keys).slice(-2)).toEqual([
        [next.id, 'revoked'],
        [old.id, 'kept'],
      ]);
    },
  );

  test.each<RevocationReason>(['leaked', 'purged', 'platform'])(
    'is not possible by a successor that was %s: the end of the old key stays',
    (reason) => {
      const { old, next, keys } = pair();
      keys.firstUsed(next.id, at(HOUR));
      keys.revoke(next.id, reason, at(1.5 * HOUR));
      expect(old.snapshot().endsAt).toEqual(at(2 * HOUR));
      expect(old.status(at(2 * HOUR))).toBe('revoked');
    },
  );

  test('does not bring back an old key that has ended', () => {
    const { old, next, keys } = pair();
    keys.firstUsed(next.id, at(HOUR));
    keys.revoke(next.id, 'owner', at(2 * HOUR));
    expect(old.snapshot().revokedAt).toEqual(at(2 * HOUR));
    expect(keys.countActive(at(2 * HOUR))).toBe(0);
  });

  test.each([0, 1])('keeps an end that an earlier successor set (%i uses)', (uses) => {
    const { old, next, keys } = pair();
    keys.firstUsed(next.id, at(HOUR));
    keys.revoke(next.id, 'leaked', at(HOUR));
    const third = rotate(keys, old, HOUR, { graceSeconds: 7200 }) as ApiKey;
    if (uses) keys.firstUsed(third.id, at(HOUR + SECOND));
    expect(old.snapshot().endsAt).toEqual(at(2 * HOUR));
    keys.revoke(third.id, 'owner', at(HOUR + 2 * SECOND));
    expect(old.snapshot()).toMatchObject({ endsAt: at(2 * HOUR), replacedBy: null });
  });

  test('restores an end that an earlier successor set, if this one has brought it forward', () => {
    const { old, next, keys } = pair();
    keys.firstUsed(next.id, at(HOUR));
    keys.revoke(next.id, 'leaked', at(HOUR));
    const third = rotate(keys, old, HOUR, { graceSeconds: 60 }) as ApiKey;
    keys.firstUsed(third.id, at(HOUR));
    expect(old.snapshot().endsAt).toEqual(at(HOUR + 60 * SECOND));
    keys.revoke(third.id, 'owner', at(HOUR + SECOND));
    expect(old.snapshot()).toMatchObject({ endsAt: at(2 * HOUR), replacedBy: null });
    expect(old.status(at(2 * HOUR))).toBe('revoked');
  });
});

test('a key ends at the earliest end that a successor gave it, unless that rotation was cancelled', () => {
  const rotation = fc.record({
    graceSeconds: fc.integer({ min: 1, max: 7200 }),
    usedAfter: fc.option(fc.nat({ max: 300 }), { nil: undefined }),
    endedAfter: fc.nat({ max: 300 }),
    endedBy: fc.constantFrom<RevocationReason>('owner', 'administrator', 'leaked', 'platform'),
  });
  fc.assert(
    fc.property(fc.array(rotation, { maxLength: 6 }), (rotations) => {
      const old = keyOf(1);
      const keys = new OwnerKeys([old]);
      const ends: number[] = [];
      let ms = DAY - 2 * HOUR;
      for (const { graceSeconds, usedAfter, endedAfter, endedBy } of rotations) {
        const successor = rotate(keys, old, ms, { graceSeconds });
        if (!(successor instanceof ApiKey)) break;
        const usedMs = ms + (usedAfter ?? 0) * SECOND;
        const isGiven = usedAfter !== undefined && old.status(at(usedMs)) === 'active';
        if (usedAfter !== undefined) keys.firstUsed(successor.id, at(usedMs));
        ms = usedMs + endedAfter * SECOND;
        const isCancelled = cancelsRotation(endedBy) && old.status(at(ms)) === 'active';
        keys.revoke(successor.id, endedBy, at(ms));
        if (isGiven && !isCancelled) ends.push(Math.min(usedMs + graceSeconds * SECOND, DAY));
        expect(old.snapshot().endsAt).toEqual(ends.length > 0 ? at(Math.min(...ends)) : null);
      }
    }),
    { numRuns: 200 },
  );
});

test('never counts more than five keys or brings back an ended key, in any order of calls and clock changes', () => {
  const step = fc.record({
    do: fc.constantFrom('issue', 'rotate', 'rotate', 'use', 'use', 'revoke', 'leak', 'look'),
    at: fc.oneof({ weight: 9, arbitrary: fc.nat({ max: DAY }) }, { weight: 1, arbitrary: fc.nat({ max: 12 * DAY }) }),
    which: fc.nat({ max: 9 }),
    graceSeconds: fc.constantFrom(0, 60, 3600, 86_400),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 50, size: 'max' }), (steps) => {
      const keys = new OwnerKeys([]);
      const all: ApiKey[] = [];
      const ended = new Map<ApiKey, string>();
      for (const { do: what, at: ms, which, graceSeconds } of steps) {
        const now = at(ms);
        const key = all[which];
        if (what === 'issue') {
          made += 1;
          const order = { id: `k${made}`, ownerId: 'u1', name: 'x', access: 'read-only', expiresInDays: 2 } as const;
          const issued = refused(() => keys.issue({ ...order, policy: POLICY }, KeyString.generate('lk'), now));
          if (issued instanceof ApiKey) all.push(issued);
        } else if (key && !ended.has(key)) {
          if (what === 'rotate') {
            const before = keys.countActive(now);
            const successor = key.status(now) === 'active' ? rotate(keys, key, ms, { graceSeconds }) : undefined;
            if (successor instanceof ApiKey) all.push(successor);
            expect(keys.countActive(now)).toBe(before);
          }
          if (what === 'use') expect(keys.firstUsed(key.id, now)).toBe(key.status(now) === 'active');
          if (what === 'revoke') refused(() => keys.revoke(key.id, 'owner', now));
          if (what === 'leak') refused(() => keys.revoke(key.id, 'leaked', now));
        }
        expect(keys.countActive(now)).toBeLessThanOrEqual(5);
        for (const [endedKey, as] of ended) expect(endedKey.status(now)).toBe(as);
        for (const one of all) {
          const { revokedAt, expiredAt, endsAt, expiresAt } = one.snapshot();
          expect(revokedAt && expiredAt).toBeFalsy();
          if (endsAt) expect(endsAt.getTime()).toBeLessThanOrEqual(expiresAt.getTime());
          if (revokedAt) ended.set(one, 'revoked');
          if (expiredAt) ended.set(one, 'expired');
        }
      }
      const ends = keys.changes.filter(({ became }) => became === 'revoked' || became === 'expired');
      expect(new Set(ends.map(({ key }) => key)).size).toBe(ends.length);
      expect(ends).toHaveLength(ended.size);
    }),
    { numRuns: 100 },
  );
});
