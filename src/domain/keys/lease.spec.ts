import { describe, expect, test } from '@jest/globals';
import { leaseLength, type LeasedKey, waitMs } from './lease.js';

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
