import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { KeyNetworks, MAX_NETWORKS, usageNetwork } from './key-networks.js';

const NONE = { lastDays: new Map<string, number>(), hasBegun: false, notifiedOn: null };
const restore = (state: Partial<Parameters<typeof KeyNetworks.restore>[0]>) =>
  KeyNetworks.restore({ ...NONE, ...state });
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
        let stored = NONE as Parameters<typeof KeyNetworks.restore>[0];
        const seen: { network: string; day: number }[] = [];
        const [notified, expected] = [[] as number[], new Set<number>()];
        let day = 0;
        for (const { network, after } of steps) {
          day += after;
          const isKnown = seen.some((one) => one.network === network && day - one.day <= 90);
          if (seen.length > 0 && !isKnown) expected.add(day);
          seen.push({ network, day });
          // Stored and restored after each use, as in the database.
          const networks = KeyNetworks.restore(stored);
          if (networks.grantedFrom(network, day)) notified.push(day);
          const { lastDays, ...state } = networks.changes();
          stored = { ...state, lastDays: new Map([...stored.lastDays, ...lastDays]) };
        }
        expect(notified).toEqual([...expected]);
      }),
    );
  });
});
