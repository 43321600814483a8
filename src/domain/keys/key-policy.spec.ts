import { describe, expect, test } from '@jest/globals';
import type { AccountLimits } from '../accounts/account-limits.js';
import type { LatchkeyError } from '../errors.js';
import { defaultKeyDays, keyPolicy, requireGivable, requireChangesLeft } from './key-policy.js';
import { HOUR_MS } from '../time.js';

const SERVICE = { maxActiveKeys: 5, maxKeyDays: 90 };
const PLAIN = { ...SERVICE, maxAccess: 'read-and-write', newKeys: true, limitedByAccount: [] };
const person = (limits: AccountLimits) => ({ limits, kind: 'person' as const });

test.each<[string, AccountLimits, object]>([
  ['nothing', {}, PLAIN],
  ['rates', { requestsPerSecond: 1, burst: 1 }, PLAIN],
  ['more keys', { maxActiveKeys: 100 }, { ...PLAIN, maxActiveKeys: 100, limitedByAccount: ['maxActiveKeys'] }],
  ['fewer keys', { maxActiveKeys: 1 }, { ...PLAIN, maxActiveKeys: 1, limitedByAccount: ['maxActiveKeys'] }],
  ['fewer days', { maxKeyDays: 7 }, { ...PLAIN, maxKeyDays: 7, limitedByAccount: ['maxKeyDays'] }],
  ['more days', { maxKeyDays: 365 }, PLAIN],
  ['the same days', { maxKeyDays: 90 }, PLAIN],
  ['read-only keys', { maxAccess: 'read-only' }, { ...PLAIN, maxAccess: 'read-only', limitedByAccount: ['maxAccess'] }],
  ['no new keys', { noNewKeys: true }, { ...PLAIN, newKeys: false, limitedByAccount: ['newKeys'] }],
  ['new keys', { noNewKeys: false }, PLAIN],
  ['every access', { maxAccess: 'read-and-write' }, PLAIN],
])('an account that is limited to %s has this policy', (_, limits, policy) => {
  expect(keyPolicy(SERVICE, person(limits))).toEqual(policy);
});

test.each([
  [365, 90],
  [90, 90],
  [89, 89],
  [1, 1],
])('where keys may last %i days, they last %i by default', (maxKeyDays, days) => {
  expect(defaultKeyDays(keyPolicy({ ...SERVICE, maxKeyDays }, person({})))).toBe(days);
});

describe('requireGivable', () => {
  const OWNED = ['systems:read', 'systems:write', 'systems:delete', 'reports/eu:read', 'old//one:read'];
  const READ_ONLY: AccountLimits = { maxAccess: 'read-only' };
  type Wish = Partial<Parameters<typeof requireGivable>[0]>;
  const problemsOf = (wish: Wish, limits: AccountLimits = {}) => {
    try {
      requireGivable(
        { access: 'read-and-write', expiresInDays: 90, ...wish },
        OWNED,
        keyPolicy(SERVICE, person(limits)),
      );
      return undefined;
    } catch (error) {
      return (error as LatchkeyError).details.errors;
    }
  };

  test.each([[['systems:read']], [['systems/42:read', 'systems/42/disk:write', 'reports/eu/2026:read']]])(
    'accepts %j, which the owner has or has the permission above',
    (permissions) => expect(problemsOf({ permissions })).toBeUndefined(),
  );

  test.each<[string, Wish, AccountLimits]>([
    ['as many days as allowed', { expiresInDays: 7 }, { maxKeyDays: 7 }],
    ['no more days than the service allows, though the account may have more', {}, { maxKeyDays: 365 }],
    ['a read-only key', { access: 'read-only', permissions: ['systems:read'] }, READ_ONLY],
    ['a key that may write', {}, { maxAccess: 'read-and-write' }],
  ])('accepts %s', (_, wish, limits) => expect(problemsOf(wish, limits)).toBeUndefined());

  test.each([
    ['reports:read'],
    ['systems:delete'],
    ['systemsx:read'],
    ['systems2/42:read'],
    ['Systems:read'],
    ['old//one:read'],
  ])('refuses %s, which no key of this owner can have', (permission) => {
    const message = `holds "${permission}", which this account can't give: a key has at most what its account may read and write`;
    expect(problemsOf({ permissions: ['systems:read', permission] })).toEqual([{ field: 'permissions', message }]);
  });

  test('refuses a permission to write for a key that may only read', () => {
    const message = `holds "systems/42:write", which a read-only key can't use: leave it out or change access`;
    const permissions = ['systems:read', 'systems/42:write'];
    expect(problemsOf({ permissions, access: 'read-only' })).toEqual([{ field: 'permissions', message }]);
  });

  test('names every field that is above a limit, what is allowed, and who allows no more', () => {
    const wish = { expiresInDays: 91, permissions: ['systems:write'] };
    const access = { field: 'access', message: 'must be read-only: the limits of this account allow no more' };
    const permissions = {
      field: 'permissions',
      message: `holds "systems:write", which this account can't give: a key has at most what its account may read and write`,
    };
    const days = (message: string) => ({ field: 'expiresInDays', message });
    const byService = days('must be a whole number from 1 to 90: this service allows no more');
    const byAccount = days('must be a whole number from 1 to 7: the limits of this account allow no more');
    expect(problemsOf(wish)).toEqual([byService]);
    expect(problemsOf(wish, READ_ONLY)).toEqual([access, byService, permissions]);
    expect(problemsOf(wish, { ...READ_ONLY, maxKeyDays: 7 })).toEqual([access, byAccount, permissions]);
  });
});

const NOW = new Date('2026-04-01T12:00:00.000Z');
const ago = (ms: number) => new Date(NOW.getTime() - ms);

describe('requireChangesLeft', () => {
  test.each([
    ['an account that made fewer keys', undefined],
    ['an account whose key that far back was made an hour ago', ago(HOUR_MS)],
    ['an account whose key that far back is older', ago(HOUR_MS + 1)],
  ])('admits %s', (_, earlierAt) => {
    expect(() => requireChangesLeft(3, earlierAt, NOW)).not.toThrow();
  });

  test.each([
    [HOUR_MS - 1, 1],
    [HOUR_MS - 1000, 1],
    [HOUR_MS - 1001, 2],
    [0, 3600],
  ])('refuses when the key that far back was made %i ms ago, and says to wait %i s', (ms, retryAfterSeconds) => {
    expect(() => requireChangesLeft(3, ago(ms), NOW)).toThrow(
      expect.objectContaining({
        code: 'too_many_changes',
        message: 'At most 3 API keys can be created or rotated in an hour: try again later',
        details: { retryAfterSeconds },
      }),
    );
  });
});
