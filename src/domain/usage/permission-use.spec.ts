import { describe, expect, test } from '@jest/globals';
import { PERMISSIONS_KEPT, PermissionUses, reportedUse, usedBy } from './permission-use.js';

const EFFECTIVE = ['systems:read', 'systems/1:read', 'logs:write'];

describe('usedBy', () => {
  test.each([
    ['systems/1/disks:read', 'systems/1:read'],
    ['systems/1:read', 'systems/1:read'],
    ['systems/2:read', 'systems:read'],
    ['', 'read'],
  ])('names for %j the longest permission of the key that covers it: %s', (permission, used) => {
    expect(usedBy({ operation: 'read', permission }, EFFECTIVE)).toBe(used);
  });
});

describe('reportedUse', () => {
  test.each([
    ['logs:write', 'write', 'logs:write'],
    ['logs/1:write', 'write', 'unknown'],
    ['', 'write', 'write'],
    ['', undefined, 'unknown'],
    [null, 'read', 'unknown'],
  ] as const)('of %j and %j is %s', (permission, operation, used) => {
    expect(reportedUse(permission, operation, EFFECTIVE)).toBe(used);
  });
});

describe('PermissionUses', () => {
  test('counts by permission, from the first day to the last', () => {
    const uses = new PermissionUses();
    uses.note('a:read', 5, 5, 2);
    uses.note('a:read', 3, 4, 1);
    uses.note('a:read', 7, 7, 1);
    expect(uses.take()).toEqual([{ used: 'a:read', firstDay: 3, lastDay: 7, count: 4 }]);
    expect(uses.take()).toEqual([]);
  });

  test('keeps a hundred and counts the rest in one', () => {
    const uses = new PermissionUses({ left: 2 * PERMISSIONS_KEPT });
    for (let n = 0; n < PERMISSIONS_KEPT + 5; n += 1) uses.note(`p${n}:read`, 1, 1, 1);
    uses.note('p0:read', 1, 1, 1);
    const taken = uses.take();
    expect([taken.length, taken[0]!.count, taken.at(-1)]).toEqual([
      101,
      2,
      { used: 'other', firstDay: 1, lastDay: 1, count: 5 },
    ]);
  });
});
