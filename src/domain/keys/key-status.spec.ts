import { describe, expect, test } from '@jest/globals';
import { API_KEY_STATUSES, isExpiryDue, isOpen, type KeyTimes, statusAt } from './key-status.js';

const NOW = new Date('2026-03-29T00:30:00.000Z');
const at = (ms: number) => new Date(NOW.getTime() + ms);

const times = (expiresIn: number, ended: Partial<KeyTimes> = {}): KeyTimes => ({
  expiresAt: at(expiresIn),
  revokedAt: null,
  expiredAt: null,
  ...ended,
});

describe('what becomes of a key', () => {
  test.each<[string, KeyTimes, string, boolean, boolean]>([
    ['a millisecond before its time', times(1), 'active', true, false],
    ['at its time', times(0), 'expired', true, true],
    ['after its time', times(-1), 'expired', true, true],
    ['its expiry on record', times(-1, { expiredAt: at(-1) }), 'expired', false, false],
    ['its expiry on record, and the clock set back', times(1, { expiredAt: at(2) }), 'expired', false, false],
    ['revoked before its time', times(1, { revokedAt: NOW }), 'revoked', false, false],
    ['revoked, and its time past', times(-1, { revokedAt: at(-2) }), 'revoked', false, false],
    ['revoked by a clock ahead of this one', times(1, { revokedAt: at(9) }), 'revoked', false, false],
  ])('%s', (_what, key, status, open, due) => {
    expect([statusAt(NOW, key), isOpen(key), isExpiryDue(NOW, key)]).toEqual([status, open, due]);
  });

  test('has these names, in this order', () => {
    expect(API_KEY_STATUSES).toEqual(['active', 'expired', 'revoked']);
  });
});
