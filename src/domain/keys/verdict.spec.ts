import { expect, test } from '@jest/globals';
import { DENIAL_REASONS, deny, isFailedAuthentication } from './verdict.js';

test('a denial grants nothing and says why', () => {
  expect(DENIAL_REASONS.map((reason) => deny(reason))).toEqual(
    DENIAL_REASONS.map((reason) => ({ granted: false, reason })),
  );
});

test('what proves nobody is a failed authentication; a limit or a missing right is not', () => {
  expect(DENIAL_REASONS.filter(isFailedAuthentication)).toEqual([
    'invalid-key',
    'revoked',
    'expired',
    'owner-suspended',
    'owner-deleted',
  ]);
});
