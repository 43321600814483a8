import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isCovered as decided, isNewPermission } from '../../src/domain/accounts/permission.js';
import { ACCESS_LEVELS, permissionsToGive } from '../../src/domain/keys/access.js';
import { isCovered, isPermission, isWithin } from '../../web/src/restrictions/permission.js';

const resource = fc
  .array(fc.constantFrom('a', 'b', 'B', '.', '..', '', '-'), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join('/'));
const action = fc.constantFrom('read', 'read', 'read', 'write', 'Read', 'delete', 're/ad', '');
const permission = fc.tuple(resource, action).map((parts) => parts.join(':'));

test('the screen finds a permission covered when the service does', () => {
  const seen = { true: 0, false: 0 };
  fc.assert(
    fc.property(permission, fc.array(permission, { maxLength: 4 }), fc.boolean(), (any, owned, isBelow) => {
      const by = new Set(owned.filter(isNewPermission));
      const wanted = isBelow && by.size > 0 ? [...by][0]!.replace(':', '/a:') : any;
      const expected = decided(wanted, by);
      seen[`${expected}`] += 1;
      expect(isCovered(wanted, by)).toBe(expected);
    }),
    { numRuns: 5000 },
  );
  expect(seen.true).toBeGreaterThan(100);
  expect(seen.false).toBeGreaterThan(100);
});

test('the screen accepts a typed permission when the service does', () => {
  const long = fc.constantFrom('a'.repeat(100), 'a'.repeat(101)).map((name) => `${name}:read`);
  fc.assert(
    fc.property(fc.oneof(permission, long, fc.string()), (text) =>
      expect(isPermission(text)).toBe(isNewPermission(text)),
    ),
    { numRuns: 5000 },
  );
});

test.each(ACCESS_LEVELS)('the screen offers a %s key what the service lets an owner give it', (access) => {
  fc.assert(
    fc.property(fc.array(permission), (owned) => {
      const givable = permissionsToGive('read-and-write', owned);
      expect(givable.filter((each) => isWithin(access, each))).toEqual(permissionsToGive(access, owned));
    }),
  );
});
