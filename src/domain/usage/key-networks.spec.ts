import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { KeyNetworks, MOST_NETWORKS, usageNetwork } from './key-networks.js';

const NONE = { lastDays: new Map<string, number>(), hasBegun: false, notifiedOn: null };
const restore = (state: Partial<Parameters<typeof KeyNetworks.restore>[0]>) =>
  KeyNetworks.restore({ ...NONE, ...state });
const known = (count: number, day: number) =>
  new Map(Array.from({ length: count }, (_, n) => [`network ${n}`, day] as const));

describe('a network', () => {
  test.each([
    ['203.0.113.9', '203.0.113.0/24'],
    ['::ffff:203.0.113.9', '203.0.113.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ])('of %s is %s', (ip, network) => expect(usageNetwork(ip)).toBe(network));
});

describe('the owner', () => {
  test("is not told of a key's first network, nor of one that is known, and is told of the next one", () => {
    const networks = restore({});
    expect(networks.grantedFrom('a', 0)).toBe(false);
    expect(networks.grantedFrom('a', 1)).toBe(false);
    expect(networks.grantedFrom('b', 1)).toBe(true);
    expect(networks.changes()).toEqual({ lastDays: new Map([['a', 1], ['b', 1]]), hasBegun: true, notifiedOn: 1 }); // prettier-ignore
  });

  test('is told on the first day too', () => {
    const networks = restore({});
    networks.grantedFrom('a', 0);
    expect(networks.grantedFrom('b', 0)).toBe(true);
  });

  test('is told once a day, and a network that was not told is known from then on', () => {
    const networks = restore({ hasBegun: true });
    expect(['a', 'b', 'c'].map((network) => networks.grantedFrom(network, 5))).toEqual([true, false, false]);
    expect(networks.grantedFrom('b', 6)).toBe(false);
    expect(networks.grantedFrom('d', 6)).toBe(true);
  });

  test('is not told again of a day that another instance was behind with', () => {
    expect(restore({ hasBegun: true, notifiedOn: 6 }).grantedFrom('a', 5)).toBe(false);
  });

  test('is told when a network comes back that was not seen for more than 90 days', () => {
    const after = (days: number) => restore({ hasBegun: true, lastDays: new Map([['a', 0]]) }).grantedFrom('a', days);
    expect([after(90), after(91)]).toEqual([false, true]);
  });

  test('is told of a second network though the first one was forgotten long ago', () => {
    expect(restore({ hasBegun: true }).grantedFrom('b', 300)).toBe(true);
  });

  test('is told of no more networks than are kept, until some are forgotten', () => {
    const full = () => restore({ hasBegun: true, lastDays: known(MOST_NETWORKS, 0) });
    const networks = full();
    expect(networks.grantedFrom('another', 90)).toBe(false);
    expect(networks.changes().lastDays.size).toBe(0);
    expect(full().grantedFrom('another', 91)).toBe(true);
    expect(restore({ hasBegun: true, lastDays: known(MOST_NETWORKS - 1, 0) }).grantedFrom('another', 0)).toBe(true);
    expect(networks.grantedFrom('network 7', 90)).toBe(false);
    expect(networks.changes().lastDays).toEqual(new Map([['network 7', 90]]));
  });

  test('is told of exactly the days on which a network came that was not there in the 90 days before', () => {
    const grants = fc.array(fc.record({ network: fc.constantFrom('a', 'b', 'c', 'd'), after: fc.nat(60) }));
    fc.assert(
      fc.property(grants, (steps) => {
        let stored = NONE as Parameters<typeof KeyNetworks.restore>[0];
        const seen: { network: string; day: number }[] = [];
        const [told, expected] = [[] as number[], new Set<number>()];
        let day = 0;
        for (const { network, after } of steps) {
          day += after;
          const isKnown = seen.some((one) => one.network === network && day - one.day <= 90);
          if (seen.length > 0 && !isKnown) expected.add(day);
          seen.push({ network, day });
          // Stored and restored after each use, as in the database.
          const networks = KeyNetworks.restore(stored);
          if (networks.grantedFrom(network, day)) told.push(day);
          const { lastDays, ...state } = networks.changes();
          stored = { ...state, lastDays: new Map([...stored.lastDays, ...lastDays]) };
        }
        expect(told).toEqual([...expected]);
      }),
    );
  });
});
