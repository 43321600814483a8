import { expect, test } from '@jest/globals';
import { DENIAL_REASONS, deny, isFailedAuthentication } from './verdict.js';

test('A denial has a reason and grants nothing', () => {
  expect(DENIAL_REASONS.map((reason) => deny(reason))).toEqual(
    DENIAL_REASONS.map((reason) => ({ granted: false, reason })),
  );
});

test('A missing identity or a wrong address is a failed authentication; a limit or a missing permission is not', () => {
  expect(DENIAL_REASONS.filter(isFailedAuthentication)).toEqual([
    'invalid-key',
    'revoked',
    'expired',
    'paused',
    'owner-suspended',
    'owner-deleted',
    'address-not-allowed',
  ]);
});
