import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ACCESS_LEVELS, accessProblem, type AccessLevel } from '../accounts/access-level.js';
import { accessAllows, effectivePermissions, isOpenToKeys, OPERATIONS } from './access.js';

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
