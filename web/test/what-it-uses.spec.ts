import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { effectivePermissions } from '../../src/domain/keys/access';
import { denialBy } from '../../src/domain/keys/key-rights';
import { PERMISSIONS_KEPT, PermissionUses, usedBy } from '../../src/domain/usage/permission-use';
import { utcDay } from '../../src/domain/time';
import { whatItUses } from '../src/key/permission-use';

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
    fc.array(question),
    (of, owned, asked) => {
      const rightsOf = (permissions: readonly string[] | null) => ({
        access: of.access,
        permissions: effectivePermissions(of.access, owned, permissions),
        hasSubset: permissions !== null,
        allowedNetworks: null,
      });
      const rights = rightsOf(of.permissions);
      const granted = asked.filter((each) => !denialBy(rights, each));
      const uses = new PermissionUses({ left: PERMISSIONS_KEPT });
      for (const each of granted) uses.note(usedBy(each, rights.permissions), TODAY, TODAY, 1);
      const shown = uses.take().map(({ used, count }) => ({ permission: used, lastDay: '2026-03-29', count }));
      const { used, of: all, proposal } = whatItUses(of, owned, shown, '2026-01-01', Date.parse('2026-03-29'));
      expect(all).toBe(rights.permissions.length);
      if (typeof proposal === 'string') return expect(['all', 'unused']).toContain(proposal);
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

test('a use by a permission that only the replaced key had may have been any that it covers', () => {
  const key = { access: 'read-only', permissions: ['a/b:read', 'd:read'] } as const;
  const used = (permission: string) => ({ permission, lastDay: '2026-03-29', count: 1 });
  const proposal = (...names: string[]) =>
    whatItUses(key, ['a:read', 'd:read'], names.map(used), '2026-01-01', Date.parse('2026-03-29')).proposal;
  expect(proposal('a:read', 'd:read')).toBe('unclear');
  expect(proposal('e:read', 'd:read')).toEqual({ permissions: ['d:read'] });
});
