import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { effectivePermissions } from '../accounts/permission.js';
import { denialBy } from '../keys/key-rights.js';
import { utcDay } from '../time.js';
import { recentUse, PERMISSIONS_KEPT, PermissionUses, reportedUse, usedBy } from './key-history.js';
import { KeyNetworks, MAX_NETWORKS, usageNetwork } from './key-networks.js';
import { couldNarrow, whatItUses } from './narrower.js';

test('recentUse has one number for each of the last 30 days, oldest first, and 0 for a day without requests', () => {
  const today = 20_000;
  const days = [
    { day: today, granted: 1, refused: 2 },
    { day: today - 29, granted: 3, refused: 4 },
    { day: today - 30, granted: 5, refused: 6 },
    { day: today + 1, granted: 7, refused: 8 },
  ];
  const none = Array.from({ length: 28 }, () => 0);
  expect(recentUse(days, today)).toEqual({ granted: [3, ...none, 1], refused: [4, ...none, 2] });
  expect(recentUse([], today)).toEqual({ granted: [0, ...none, 0], refused: [0, ...none, 0] });
});

const NONE = { lastDays: new Map<string, number>(), hasBegun: false, notifiedOn: null };
const restore = (state: Partial<ConstructorParameters<typeof KeyNetworks>[0]>) =>
  new KeyNetworks({ ...NONE, ...state });
const known = (count: number, day: number) =>
  new Map(Array.from({ length: count }, (_, n) => [`network ${n}`, day] as const));

describe('usageNetwork', () => {
  test.each([
    ['203.0.113.9', '203.0.113.0/24'],
    ['::ffff:203.0.113.9', '203.0.113.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ])('for %s is %s', (ip, network) => expect(usageNetwork(ip)).toBe(network));
});

describe('KeyNetworks', () => {
  test('notifies of a new network, but not of the first or a known one', () => {
    const networks = restore({});
    expect(networks.grantedFrom('a', 0)).toBe(false);
    expect(networks.grantedFrom('a', 1)).toBe(false);
    expect(networks.grantedFrom('b', 1)).toBe(true);
    expect(networks.changes()).toEqual({ lastDays: new Map([['a', 1], ['b', 1]]), hasBegun: true, notifiedOn: 1 }); // prettier-ignore
  });

  test('notifies of a second network on the first day', () => {
    const networks = restore({});
    networks.grantedFrom('a', 0);
    expect(networks.grantedFrom('b', 0)).toBe(true);
  });

  test('notifies once a day, and knows the other networks of that day from then on', () => {
    const networks = restore({ hasBegun: true });
    expect(['a', 'b', 'c'].map((network) => networks.grantedFrom(network, 5))).toEqual([true, false, false]);
    expect(networks.grantedFrom('b', 6)).toBe(false);
    expect(networks.grantedFrom('d', 6)).toBe(true);
  });

  test('does not notify again of an earlier day that another instance writes late', () => {
    expect(restore({ hasBegun: true, notifiedOn: 6 }).grantedFrom('a', 5)).toBe(false);
  });

  test('notifies of a network that was not used for more than 90 days', () => {
    const after = (days: number) => restore({ hasBegun: true, lastDays: new Map([['a', 0]]) }).grantedFrom('a', days);
    expect([after(90), after(91)]).toEqual([false, true]);
  });

  test('notifies of a second network though the first one is forgotten', () => {
    expect(restore({ hasBegun: true }).grantedFrom('b', 300)).toBe(true);
  });

  test('notifies of no more networks than are kept, until some are forgotten', () => {
    const full = () => restore({ hasBegun: true, lastDays: known(MAX_NETWORKS, 0) });
    const networks = full();
    expect(networks.grantedFrom('another', 90)).toBe(false);
    expect(networks.changes().lastDays.size).toBe(0);
    expect(full().grantedFrom('another', 91)).toBe(true);
    expect(restore({ hasBegun: true, lastDays: known(MAX_NETWORKS - 1, 0) }).grantedFrom('another', 0)).toBe(true);
    expect(networks.grantedFrom('network 7', 90)).toBe(false);
    expect(networks.changes().lastDays).toEqual(new Map([['network 7', 90]]));
  });

  test('notifies on exactly the days with a network that was not used in the 90 days before', () => {
    const grants = fc.array(fc.record({ network: fc.constantFrom('a', 'b', 'c', 'd'), after: fc.nat(60) }));
    fc.assert(
      fc.property(grants, (steps) => {
        let stored = NONE as ConstructorParameters<typeof KeyNetworks>[0];
        const seen: { network: string; day: number }[] = [];
        const [notified, expected] = [[] as number[], new Set<number>()];
        let day = 0;
        for (const { network, after } of steps) {
          day += after;
          const isKnown = seen.some((one) => one.network === network && day - one.day <= 90);
          if (seen.length > 0 && !isKnown) expected.add(day);
          seen.push({ network, day });
          // Stored and restored after each use, as in the database.
          const networks = new KeyNetworks(stored);
          if (networks.grantedFrom(network, day)) notified.push(day);
          const { lastDays, ...state } = networks.changes();
          stored = { ...state, lastDays: new Map([...stored.lastDays, ...lastDays]) };
        }
        expect(notified).toEqual([...expected]);
      }),
    );
  });
});

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

describe('A narrower key', () => {
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
    fc.assert(replayed, { numRuns: 500 });
    expect(counts.proposed).toBeGreaterThan(50);
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
});
