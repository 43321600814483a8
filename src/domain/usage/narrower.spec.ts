import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { effectivePermissions } from '../keys/access.js';
import { denialBy } from '../keys/key-rights.js';
import { utcDay } from '../time.js';
import { couldNarrow, whatItUses } from './narrower.js';
import { PERMISSIONS_KEPT, PermissionUses, usedBy } from './permission-use.js';

const TODAY = utcDay(new Date('2026-03-29'));
const resource = fc.constantFrom('a', 'a/b', 'a/b/c', 'd', 'e');
const permission = fc.tuple(resource, fc.constantFrom('read', 'write')).map((parts) => parts.join(':'));
const question = fc.record({ operation: fc.constantFrom('read' as const, 'write' as const), permission });

test('a proposal loses no recorded request', () => {
  const counts = { proposed: 0, requests: 0 };
  const key = fc.record({
    access: fc.constantFrom('read-only' as const, 'read-and-write' as const),
    permissions: fc.option(fc.uniqueArray(permission, { minLength: 1 })),
  });
  const replayed = fc.property(
    key,
    fc.uniqueArray(permission, { minLength: 1 }),
    fc.uniqueArray(permission, { minLength: 1 }),
    fc.boolean(),
    fc.array(question),
    (of, ownedBefore, ownedLater, hasChanged, asked) => {
      const owned = hasChanged ? ownedLater : ownedBefore;
      const rightsOf = (permissions: readonly string[] | null, by = owned) => ({
        access: of.access,
        permissions: effectivePermissions(of.access, by, permissions),
        hasSubset: permissions !== null,
        allowedNetworks: null,
      });
      const before = rightsOf(of.permissions, ownedBefore);
      const rights = rightsOf(of.permissions);
      const recorded = asked.filter((each) => !denialBy(before, each));
      // What the owner has lost since, no proposal keeps.
      const granted = recorded.filter((each) => !denialBy(rights, each));
      const uses = new PermissionUses({ left: PERMISSIONS_KEPT });
      for (const each of recorded) uses.note(usedBy(each, before.permissions), TODAY, TODAY, 1);
      const record = { used: uses.take().map(({ used }) => used), days: 30 };
      const { used, of: all, proposal } = whatItUses(of, owned, record);
      expect(all).toBe(rights.permissions.length);
      if (typeof proposal === 'string') {
        return expect(['all', 'unused', ...(hasChanged ? ['unclear'] : [])]).toContain(proposal);
      }
      expect(proposal.permissions.length).toBe(used);
      const narrower = rightsOf(proposal.permissions);
      counts.proposed += 1;
      counts.requests += granted.length;
      return expect(granted.filter((each) => denialBy(narrower, each))).toEqual([]);
    },
  );
  fc.assert(replayed, { numRuns: 2000 });
  expect(counts.proposed).toBeGreaterThan(200);
});

test('a use by a permission that a wider one of the owner has replaced is one of the wider', () => {
  const key = { access: 'read-only', permissions: null } as const;
  const { proposal } = whatItUses(key, ['a:read', 'd:read', 'e:read'], { used: ['a/b:read', 'd:read'], days: 30 });
  expect(proposal).toEqual({ permissions: ['a:read', 'd:read'] });
});

test('a use by a permission that only the replaced key had may have been any that it covers', () => {
  const key = { access: 'read-only', permissions: ['a/b:read', 'd:read'] } as const;
  const proposal = (...used: string[]) => whatItUses(key, ['a:read', 'd:read'], { used, days: 30 }).proposal;
  expect(proposal('a:read', 'd:read')).toBe('unclear');
  expect(proposal('e:read', 'd:read')).toEqual({ permissions: ['d:read'] });
});

test.each([
  ['only reads', ['a:read'], 30, 'reading'],
  ['writes, too', ['a:read', 'a:write'], 30, 'permissions'],
  ['uses all that it may', ['a:read', 'a:write', 'b:read'], 30, null],
  ['was used without a permission', ['a:read', 'read'], 30, null],
  ['uses something unknown', ['a:read', 'unknown'], 30, null],
  ['uses more than is kept', ['a:read', 'other'], 30, null],
  ['was not used', [], 30, null],
  ['is not recorded for long', ['a:read'], 29, null],
] as const)('a key that %s', (_, used, days, expected) => {
  const key = { access: 'read-and-write', permissions: null } as const;
  expect(couldNarrow(key, ['a:read', 'a:write', 'b:read'], { used, days })).toBe(expected);
});

test('a key that may only read is not proposed to read alone', () => {
  const record = { used: ['a:read'], days: 30 };
  expect(couldNarrow({ access: 'read-only', permissions: null }, ['a:read', 'b:read'], record)).toBe('permissions');
});
