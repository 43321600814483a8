import { expect, test } from '@jest/globals';
import { deletableFrom, isDeletable, isOverdue, mayGive } from './registration.js';

const NOW = new Date('2026-03-29T00:30:00.000Z');
const OWN = { id: 'r1', leaseMs: 2000, renewedAt: NOW, fence: null };
const after = (ms: number) => new Date(NOW.getTime() + ms);

test('only a process whose registration is found without a fence may give leases', () => {
  expect([mayGive(OWN), mayGive({ ...OWN, fence: 'f1' }), mayGive(undefined)]).toEqual([true, false, false]);
});

test('a registration is fenced once it was not renewed for 30 s', () => {
  expect([isOverdue(OWN, after(29_999)), isOverdue(OWN, after(30_000))]).toEqual([false, true]);
  expect(isOverdue({ ...OWN, fence: 'f1' }, after(30_000))).toBe(false);
});

test('a fenced registration is deleted after 102 % of its LEASE_MS, if the same fence still stands', () => {
  expect(deletableFrom(OWN, 500)).toBe(2540);
  expect(isDeletable({ ...OWN, fence: 'f1' }, 'f1')).toBe(true);
  expect([isDeletable({ ...OWN, fence: 'f2' }, 'f1'), isDeletable(OWN, 'f1'), isDeletable(undefined, 'f1')]).toEqual([
    false,
    false,
    false,
  ]);
});
