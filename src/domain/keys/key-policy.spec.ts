import { expect, test } from '@jest/globals';
import type { AccountLimits } from '../accounts/account-limits.js';
import { keyPolicy } from './key-policy.js';

const SERVICE = { maxActiveKeys: 5, maxKeyDays: 90 };
const PLAIN = { ...SERVICE, maxAccess: 'read-and-write', limitedByAccount: [] };

test.each<[string, AccountLimits, object]>([
  ['nothing', {}, PLAIN],
  ['rates', { requestsPerSecond: 1, burst: 1 }, PLAIN],
  ['more keys', { maxActiveKeys: 100 }, { ...PLAIN, maxActiveKeys: 100, limitedByAccount: ['maxActiveKeys'] }],
  ['fewer keys', { maxActiveKeys: 1 }, { ...PLAIN, maxActiveKeys: 1, limitedByAccount: ['maxActiveKeys'] }],
  ['fewer days', { maxKeyDays: 7 }, { ...PLAIN, maxKeyDays: 7, limitedByAccount: ['maxKeyDays'] }],
  ['more days', { maxKeyDays: 365 }, PLAIN],
  ['the same days', { maxKeyDays: 90 }, PLAIN],
  ['read-only keys', { maxAccess: 'read-only' }, { ...PLAIN, maxAccess: 'read-only', limitedByAccount: ['maxAccess'] }],
  ['every access', { maxAccess: 'read-and-write' }, PLAIN],
])('an account that is limited to %s has this policy', (_, limits, policy) => {
  expect(keyPolicy(SERVICE, limits)).toEqual(policy);
});
