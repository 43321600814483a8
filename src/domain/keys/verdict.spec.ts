import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ACCESS_LEVELS, type AccessLevel, accessProblem } from '../accounts/access-level.js';
import { DENIAL_REASONS, deny, isFailedAuthentication, isOpenToKeys, OPERATIONS } from './verdict.js';
import { accessAllows, effectivePermissions } from '../accounts/permission.js';
import { type LeasedKey, leaseLength, waitMs } from './lease.js';

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

describe('Access', () => {
  const words = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,8}$/);
  const actions = fc.oneof(
    fc.constantFrom('read', 'write', 'delete', 'impersonate', 'Read', 'WRITE', 'read-all', 'readwrite'),
    words,
  );
  const permissions = fc.tuple(words, actions).map(([resource, action]) => `${resource}:${action}`);
  const levels = fc.constantFrom(...ACCESS_LEVELS);
  const LETS_THROUGH: Record<AccessLevel, string[]> = { 'read-only': ['read'], 'read-and-write': ['read', 'write'] };

  describe('effective permissions', () => {
    test('are those of the owner whose action the access level allows, and only read and write', () => {
      fc.assert(
        fc.property(levels, fc.array(permissions), (access, owned) => {
          const effective = effectivePermissions(access, owned);
          expect(effective).toEqual(owned.filter((p) => LETS_THROUGH[access].includes(p.split(':')[1]!)));
          for (const permission of effective) {
            expect(owned).toContain(permission);
            expect(permission).toMatch(/:(read|write)$/);
            if (access === 'read-only') expect(permission).toMatch(/:read$/);
          }
        }),
      );
    });

    test.each<[AccessLevel, string[], string[]]>([
      ['read-only', ['systems:read', 'systems:write', 'systems:delete'], ['systems:read']],
      ['read-and-write', ['systems:read', 'systems:write', 'systems:delete'], ['systems:read', 'systems:write']],
      ['read-and-write', ['users:impersonate', 'systems:delete'], []],
      ['read-and-write', [], []],
      ['read-and-write', ['systems:READ', 'systems:write:all', 'a:b:read'], []],
      ['read-and-write', ['read:delete', 'write:admin'], []],
      ['read-and-write', ['read', 'write'], []],
      ['read-and-write', [':read', ':write'], []],
    ])('for a %s key whose owner has %j are %j', (access, owned, effective) => {
      expect(effectivePermissions(access, owned)).toEqual(effective);
    });
  });

  describe('Operations', () => {
    test('are open to keys only for read and write', () => {
      expect(OPERATIONS.filter(isOpenToKeys)).toEqual(['read', 'write']);
    });

    test.each<[AccessLevel, string[]]>([
      ['read-only', ['read']],
      ['read-and-write', ['read', 'write']],
    ])('for a %s key are only %j', (access, allowed) => {
      expect(OPERATIONS.filter((operation) => accessAllows(access, operation))).toEqual(allowed);
    });
  });

  describe('accessProblem', () => {
    test.each(ACCESS_LEVELS)('accepts %s', (level) => expect(accessProblem(level)).toBeUndefined());

    test.each([undefined, null, '', 'write', 'READ-ONLY', 'read_only', 'read-only ', 0, ['read-only'], {}])(
      'refuses %j',
      (value) => expect(accessProblem(value)).toBe('must be one of read-only, read-and-write'),
    );
  });
});

describe('A lease', () => {
  const NOW = new Date('2026-03-29T00:30:00.000Z');
  const at = (ms: number) => new Date(NOW.getTime() + ms);
  const WISH = { uses: 1, understands: new Set(['networks']) };
  const KEY: LeasedKey = {
    expiresAt: at(3_600_000),
    endsAt: null,
    restrictions: ['networks'],
    awaitsUse: false,
    graceSeconds: null,
    longestLeaseMs: 2000,
  };
  const lengthFor = (key: Partial<LeasedKey>, leaseMs = 2000) => leaseLength(leaseMs, WISH, { ...KEY, ...key }, NOW);

  describe('The length of a lease', () => {
    test('is at most the LEASE_MS of this process, and the longest that changes wait for', () => {
      expect([lengthFor({}), lengthFor({}, 500), lengthFor({ longestLeaseMs: 300 })]).toEqual([2000, 500, 300]);
    });

    test('is at most 90 % of the time until an end by the clock', () => {
      expect(lengthFor({ expiresAt: at(1000) })).toBe(900);
      expect(lengthFor({ endsAt: at(500) })).toBe(450);
    });

    test('is never below 100 ms: there is no lease then', () => {
      expect([lengthFor({ endsAt: at(112) }), lengthFor({ endsAt: at(111) })]).toEqual([100, undefined]);
      expect(lengthFor({}, 0)).toBeUndefined();
    });
  });

  test.each<[string, Partial<LeasedKey>]>([
    ['no process is known that serves, because nobody would wait for the lease', { longestLeaseMs: null }],
    ['no process gives leases', { longestLeaseMs: 0 }],
    ['the grant has to be recorded first', { awaitsUse: true }],
    ['the key is being rotated with a grace period under ten minutes', { graceSeconds: 599 }],
    ['the guard does not know a restriction of the key', { restrictions: ['networks', 'hours'] }],
  ])('no lease is given where %s', (_why, key) => {
    expect(lengthFor({ graceSeconds: 600 })).toBe(2000);
    expect(lengthFor(key)).toBeUndefined();
  });

  test('a change waits for 110 % of the longest lease, and for 2.2 s where that is unknown', () => {
    expect([waitMs(500), waitMs(0), waitMs(undefined)]).toEqual([550, 0, 2200]);
  });
});
