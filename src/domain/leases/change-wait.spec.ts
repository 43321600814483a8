import { expect, test } from '@jest/globals';
import { ChangeWait } from './change-wait.js';

const CHANGE = { isChange: true, hasTimeline: true, pending: [] };
const GIVERS = [
  { id: 'r1', leaseMs: 1000 },
  { id: 'r2', leaseMs: 2000 },
];

function committed(locked = {}, answersFromMs = 0): ChangeWait {
  const wait = new ChangeWait('c1', { ...CHANGE, ...locked });
  wait.committed(100, answersFromMs);
  return wait;
}

test('a change waits for every registration, and then deletes its row and the rows that it found', () => {
  const wait = committed({ pending: ['c0'] });
  expect([wait.insertsRow, wait.step(100)]).toEqual([true, { next: 'read-registrations' }]);
  wait.read(GIVERS, 'n1');
  expect(wait.step(101)).toEqual({ next: 'wait', untilMs: 2140 });
  wait.acknowledge('r1', 'n1');
  wait.acknowledge('r2', 'of another change');
  expect(wait.step(102)).toEqual({ next: 'wait', untilMs: 2140 });
  wait.acknowledge('r2', 'n1');
  expect(wait.step(103)).toEqual({ next: 'answer', deletedRows: ['c0', 'c1'] });
});

test('the wait ends after the longest lease and 2 %, whether or not anyone acknowledges', () => {
  const wait = committed();
  wait.read(GIVERS, 'n1');
  expect([wait.step(2139.9).next, wait.step(2140).next]).toEqual(['wait', 'answer']);
});

test('nobody is waited for where nobody is registered', () => {
  const wait = committed();
  wait.read([], 'n1');
  expect(wait.step(100)).toEqual({ next: 'answer', deletedRows: ['c1'] });
});

test('a call that changes nothing waits only for a change that is pending', () => {
  expect(committed({ isChange: false }).step(100)).toEqual({ next: 'answer', deletedRows: [] });
  const wait = committed({ isChange: false, pending: ['c0'] });
  expect([wait.insertsRow, wait.step(100).next]).toEqual([false, 'read-registrations']);
});

test('before the first registration a change inserts no row, and still looks for registrations', () => {
  const wait = committed({ hasTimeline: false });
  expect([wait.insertsRow, wait.step(100).next]).toEqual([false, 'read-registrations']);
  wait.read(GIVERS, 'n1');
  expect(wait.step(101).next).toBe('wait');
  expect(wait.step(2140)).toEqual({ next: 'answer', deletedRows: [] });
});

test('on a promoted server the answer waits longer than for the acknowledgements', () => {
  const wait = committed({}, 10_300);
  wait.read([], 'n1');
  expect(wait.step(10_299)).toEqual({ next: 'wait', untilMs: 10_300 });
  expect(wait.step(10_300).next).toBe('answer');
});
