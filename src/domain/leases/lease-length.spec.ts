import { expect, test } from '@jest/globals';
import { leaseLength, withMargin } from './lease-length.js';

const NOW = new Date('2026-03-29T00:30:00.000Z');
const at = (ms: number) => new Date(NOW.getTime() + ms);
const KEY = { expiresAt: at(3_600_000), endsAt: null, graceSeconds: null };

test('a lease ends with LEASE_MS, at the expiry, at the end of a rotated key and within the grace, whichever is first', () => {
  expect(leaseLength(2000, KEY, NOW)).toBe(2000);
  expect(leaseLength(2000, { ...KEY, expiresAt: at(700) }, NOW)).toBe(700);
  expect(leaseLength(2000, { ...KEY, endsAt: at(600) }, NOW)).toBe(600);
  expect(leaseLength(2000, { ...KEY, graceSeconds: 1 }, NOW)).toBe(1000);
});

test('no lease is shorter than 100 ms', () => {
  expect(leaseLength(2000, { ...KEY, endsAt: at(100) }, NOW)).toBe(100);
  expect(leaseLength(2000, { ...KEY, endsAt: at(99) }, NOW)).toBeUndefined();
  expect(leaseLength(2000, { ...KEY, graceSeconds: 0 }, NOW)).toBeUndefined();
});

test('who waits for a lease waits for 102 % of its length', () => {
  expect(withMargin(10_000)).toBe(10_200);
});
