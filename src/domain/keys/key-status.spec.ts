import { describe, expect, test } from '@jest/globals';
import { API_KEY_STATUSES, dueEnd, isOpen, type KeyTimes, statusAt } from './key-status.js';

const NOW = new Date('2026-03-29T00:30:00.000Z');
const at = (ms: number) => new Date(NOW.getTime() + ms);

const times = (expiresIn: number, ended: Partial<KeyTimes> = {}): KeyTimes => ({
  expiresAt: at(expiresIn),
  revokedAt: null,
  expiredAt: null,
  endsAt: null,
  ...ended,
});

describe('The status of a key', () => {
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
