import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { POLICY } from '#test/support/application/calls.js';
import type { AccessLevel } from '../accounts/access-level.js';
import { ApiKey, keyNotActive } from './api-key.js';
import type { KeyOrder } from './key-state.js';
import { LatchkeyError } from '../errors.js';
import { KeyString } from './key-string.js';

const DAY = 24 * 60 * 60 * 1000;
const NOW = new Date('2026-03-29T00:30:00.000Z');
const at = (ms: number) => new Date(NOW.getTime() + ms);

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
