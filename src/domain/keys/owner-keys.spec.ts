import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { POLICY } from '#test/support/application/calls.js';
import { refused } from '#test/support/application/refused.js';
import { Refusal } from '../errors.js';
import { ApiKey } from './api-key.js';
import type { KeyOrder } from './key-state.js';
import { KeyString } from './key-string.js';
import { OwnerKeys } from './owner-keys.js';

const DAY = 24 * 60 * 60 * 1000;
const NOW = new Date('2026-03-29T00:30:00.000Z');
const at = (ms: number) => new Date(NOW.getTime() + ms);

let made = 0;
const order = (part: Partial<KeyOrder> = {}): KeyOrder => {
  made += 1;
  return { id: `k${made}`, ownerId: 'u1', name: 'CI', access: 'read-only', expiresInDays: 1, ...part };
};
/** A key of one day. */
const keyMadeAt = (ms: number) => ApiKey.issue(order(), KeyString.generate('lk'), at(ms));
const living = (count: number) => Array.from({ length: count }, () => keyMadeAt(0));
const issueAt = (keys: OwnerKeys, ms: number, part: Partial<KeyOrder> = {}, policy = POLICY) =>
  refused(() => keys.issue({ ...order(part), policy }, KeyString.generate('lk'), at(ms)));
const changesOf = (keys: OwnerKeys) => keys.changes.map(({ key, became }) => [key.id, became]);

describe('OwnerKeys.issue', () => {
  test.each([0, 1, 4])('issues a key for an owner with %i active keys, as a change', (activeKeys) => {
    const keys = new OwnerKeys(living(activeKeys));
    const key = issueAt(keys, 5, { name: ' laptop ' }) as ApiKey;
    expect(key.snapshot()).toMatchObject({ ownerId: 'u1', name: 'laptop', createdAt: at(5), expiresAt: at(DAY + 5) });
    expect(changesOf(keys)).toEqual([[key.id, 'created']]);
    expect(keys.countActive(at(5))).toBe(activeKeys + 1);
  });

  test.each([1, 7, 100])('issues as many keys as the policy allows, here %i, and no more', (maxActiveKeys) => {
    const policy = { ...POLICY, maxActiveKeys };
    const keys = new OwnerKeys(living(maxActiveKeys - 1));
    expect(issueAt(keys, 5, {}, policy)).toBeInstanceOf(ApiKey);
    expect(issueAt(keys, 5, {}, policy)).toMatchObject({ code: 'too_many_active_keys' });
    expect(keys.countActive(at(5))).toBe(maxActiveKeys);
  });

  test('refuses an owner with five active keys, without a change', () => {
    const keys = new OwnerKeys(living(5));
    expect(issueAt(keys, 5)).toMatchObject({ code: 'too_many_active_keys' });
    expect(changesOf(keys)).toEqual([]);
  });

  test('counts a key until its expiry', () => {
    const [first, ...others] = living(5);
    const keys = new OwnerKeys([first!, ...others.map((_, n) => keyMadeAt(n + 1))]);
    expect(issueAt(keys, DAY - 1)).toMatchObject({ code: 'too_many_active_keys' });
    const key = issueAt(keys, DAY) as ApiKey;
    expect(changesOf(keys)).toEqual([
      [first!.id, 'expired'],
      [key.id, 'created'],
    ]);
    expect(first!.snapshot().expiredAt).toEqual(at(DAY));
  });

  test('records expiries that it finds, also when it refuses', () => {
    const [due, ...rest] = [keyMadeAt(-DAY), ...living(5)];
    const keys = new OwnerKeys([due!, ...rest]);
    expect(issueAt(keys, 0)).toMatchObject({ code: 'too_many_active_keys' });
    expect(changesOf(keys)).toEqual([[due!.id, 'expired']]);
  });

  test('does not count revoked and expired keys', () => {
    const [revoked, expired, ...active] = living(6);
    revoked!.revoke(NOW);
    expired!.endIfDue(at(DAY));
    const keys = new OwnerKeys([revoked!, expired!, ...active]);
    expect(keys.countActive(NOW)).toBe(4);
    expect(issueAt(keys, 0)).toBeInstanceOf(ApiKey);
    expect(issueAt(keys, 0)).toMatchObject({ code: 'too_many_active_keys' });
  });

  test('refuses invalid fields', () => {
    const keys = new OwnerKeys([]);
    expect(() => issueAt(keys, 0, { name: '', expiresInDays: 0 })).toThrow(
      expect.objectContaining({ code: 'invalid_fields' }),
    );
    expect(changesOf(keys)).toEqual([]);
  });

  test('refuses a sixth key with the message of the settings screen', () => {
    expect(issueAt(new OwnerKeys(living(5)), 0)).toMatchObject({
      code: 'too_many_active_keys',
      message: 'You have reached the maximum number of API keys',
    });
  });

  test('allows at most five active keys and ends each once, in any order of calls and clock changes', () => {
    // Mostly within the life of a key and with few ends, so that owners often reach five keys.
    const step = fc.record({
      do: fc.oneof(
        { weight: 12, arbitrary: fc.constant('issue') },
        { weight: 7, arbitrary: fc.constantFrom('revoke', 'look') },
        { weight: 1, arbitrary: fc.constant('revoke all') },
      ),
      at: fc.oneof(
        { weight: 19, arbitrary: fc.nat({ max: DAY - 1 }) },
        { weight: 1, arbitrary: fc.nat({ max: 3 * DAY }) },
      ),
      which: fc.nat({ max: 9 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
        const keys = new OwnerKeys([]);
        const all: ApiKey[] = [];
        for (const { do: what, at: ms, which } of steps) {
          const before = keys.countActive(at(ms));
          if (what === 'issue') {
            const key = issueAt(keys, ms);
            expect(key instanceof Refusal).toBe(before === 5);
            if (key instanceof ApiKey) all.push(key);
          } else if (what === 'revoke' && all[which]?.status(at(ms)) === 'active')
            keys.revoke(all[which].id, 'owner', at(ms));
          else if (what === 'revoke all') expect(keys.revokeAll('platform', at(ms))).toHaveLength(before);
          expect(keys.countActive(at(ms))).toBe(all.filter((key) => key.status(at(ms)) === 'active').length);
          expect(keys.countActive(at(ms))).toBeLessThanOrEqual(5);
        }
        const ends = keys.changes.filter(({ became }) => became !== 'created').map(({ key }) => key.id);
        expect(new Set(ends).size).toBe(ends.length);
        expect(ends).toHaveLength(all.filter((key) => key.snapshot().revokedAt ?? key.snapshot().expiredAt).length);
      }),
    );
  });
});

describe('OwnerKeys.rename', () => {
  test('renames a key, and notes what it was called; nothing when nothing changes', () => {
    const [key] = living(1);
    const keys = new OwnerKeys([key!]);
    keys.rename(key!.id, { name: 'Release' }, NOW);
    keys.rename(key!.id, { name: 'Release' }, NOW);
    expect(keys.changes).toEqual([{ key, became: 'renamed', previous: { name: 'CI', note: null } }]);
  });

  test('notes an end that is due before the new name, and refuses a key that is not there', () => {
    const [key] = living(1);
    const keys = new OwnerKeys([key!]);
    keys.rename(key!.id, { name: 'Old laptop' }, at(DAY));
    expect(changesOf(keys)).toEqual([
      [key!.id, 'expired'],
      [key!.id, 'renamed'],
    ]);
    expect(refused(() => keys.rename('another', { name: 'x' }, NOW))).toMatchObject({ code: 'not_found' });
  });
});

describe('OwnerKeys.revoke', () => {
  test('revokes one key, with the reason', () => {
    const [one, other] = living(2);
    const keys = new OwnerKeys([one!, other!]);
    keys.revoke(one!.id, 'leaked', at(7));
    expect([one!.snapshot().revokedAt, other!.snapshot().revokedAt]).toEqual([at(7), null]);
    expect(keys.changes).toEqual([{ key: one, became: 'revoked', reason: 'leaked' }]);
  });

  test('records the expiry of a key instead of a revocation', () => {
    const [one, other] = living(2);
    const keys = new OwnerKeys([one!, other!]);
    expect(refused(() => keys.revoke(one!.id, 'owner', at(DAY)))).toMatchObject({
      code: 'api_key_not_active',
      details: { apiKeyStatus: 'expired' },
    });
    expect(one!.snapshot()).toMatchObject({ revokedAt: null, expiredAt: at(DAY) });
    expect(changesOf(keys)).toEqual([[one!.id, 'expired']]);
  });

  test('refuses an unknown key as if it did not exist', () => {
    const [one, stranger] = living(2);
    const keys = new OwnerKeys([one!]);
    expect(refused(() => keys.revoke(stranger!.id, 'owner', NOW))).toMatchObject({
      code: 'not_found',
      message: 'There is no such API key',
    });
    expect(changesOf(keys)).toEqual([]);
  });

  test.each(['revoked', 'expired'])('refuses a key that is known to be %s, without a change', (end) => {
    const [one] = living(1);
    if (end === 'revoked') one!.revoke(NOW);
    else one!.endIfDue(at(DAY));
    const keys = new OwnerKeys([one!]);
    expect(refused(() => keys.revoke(one!.id, 'owner', NOW))).toMatchObject({
      message: `This API key is already ${end}`,
    });
    expect(changesOf(keys)).toEqual([]);
  });

  test('revokes all active keys in their order, and records the expiries that it finds', () => {
    const [first, due, ended, last] = [keyMadeAt(1), keyMadeAt(0), keyMadeAt(1), keyMadeAt(1)];
    ended.revoke(at(2));
    const keys = new OwnerKeys([first, due, ended, last]);
    expect(keys.revokeAll('administrator', at(DAY))).toEqual([first, last]);
    expect(keys.changes).toEqual([
      { key: due, became: 'expired' },
      { key: first, became: 'revoked', reason: 'administrator' },
      { key: last, became: 'revoked', reason: 'administrator' },
    ]);
    expect(keys.revokeAll('administrator', at(DAY))).toEqual([]);
    expect(keys.changes).toHaveLength(3);
  });
});
