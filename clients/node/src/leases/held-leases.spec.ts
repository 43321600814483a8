import { expect, test } from '@jest/globals';
import { readAtUse, readBeforeCall } from './clock-reading.js';
import { HeldLeases } from './held-leases.js';

const LEASE = { id: 1, lengthMs: 1000, uses: 10, rights: 'read', grant: 'granted' };
const at = (ms: number, wallMs = ms) => ({ wallMs: 1e12 + wallMs, monotonicMs: ms });
const stream = {};

/** Rights allow the question that is equal to them. */
const leases = (most?: number) =>
  new HeldLeases<string, string, string>((rights, question) => rights === question, most);

function holding(lease = LEASE, digest = 'd1', held = leases()) {
  held.store(stream, lease, held.ask(digest, at(0)));
  return held;
}

test('a lease is used for 98 % of its length, counted from before the call', () => {
  const held = holding();
  expect(held.use('d1', 'read', at(979))).toBe('granted');
  expect(held.use('d1', 'read', at(980))).toBeUndefined();
  expect(held.use('another', 'read', at(1))).toBeUndefined();
});

test('a request that the rights do not allow is for the service to refuse, and counts as no use', () => {
  const held = holding({ ...LEASE, uses: 1 });
  expect(held.use('d1', 'write', at(1))).toBeUndefined();
  expect([held.use('d1', 'read', at(2)), held.use('d1', 'read', at(3))]).toEqual(['granted', undefined]);
});

test('a recalled lease is given back, and never stored again', () => {
  const held = holding({ ...LEASE, id: 5 });
  const asked = held.ask('d1', at(1));
  expect(held.recall(stream, [5, 7])).toEqual([5, 7]);
  expect(held.use('d1', 'read', at(2))).toBeUndefined();
  for (const id of [5, 7]) held.store(stream, { ...LEASE, id }, asked);
  expect(held.use('d1', 'read', at(3))).toBeUndefined();
  held.store(stream, { ...LEASE, id: 8 }, asked);
  expect(held.use('d1', 'read', at(4))).toBe('granted');
});

test('a recall on one stream leaves the lease of another stream, even with the same id', () => {
  const held = holding();
  held.recall({}, [1]);
  expect(held.use('d1', 'read', at(1))).toBe('granted');
});

test('the larger of both times counts', () => {
  expect(holding({ ...LEASE, lengthMs: 5000 }).use('d1', 'read', at(4880, 4905))).toBeUndefined();
  expect(holding({ ...LEASE, lengthMs: 5000 }).use('d1', 'read', at(4905, 4880))).toBeUndefined();
});

test.each([
  ['the wall clock is 51 ms ahead', at(100, 151)],
  ['the wall clock is 51 ms behind', at(100, 49)],
  ['the wall clock went back', at(100, 98)],
])('all leases are dropped when %s, also those of open calls', (_why, reading) => {
  const held = holding(LEASE, 'd2', holding());
  const asked = held.ask('d3', at(99));
  expect(held.use('d1', 'read', reading)).toBeUndefined();
  held.store(stream, { ...LEASE, id: 3 }, asked);
  for (const digest of ['d1', 'd2', 'd3']) expect(held.use(digest, 'read', at(160))).toBeUndefined();
});

test('the oldest lease makes room for a new one', () => {
  const held = leases(2);
  for (const id of [1, 2, 3]) holding({ ...LEASE, id }, `d${id}`, held);
  expect(['d1', 'd2', 'd3'].map((each) => held.use(each, 'read', at(1)))).toEqual([undefined, 'granted', 'granted']);
});

test('the uses wanted are as many as there were lately, in the length of a lease', () => {
  const held = holding();
  for (let ms = 1; ms <= 10; ms += 1) held.use('d1', 'read', at(ms));
  expect(held.ask('d1', at(500)).usesWanted).toBe(20);
  expect(held.ask('d1', at(2000)).usesWanted).toBe(10);
  held.removeEnded(at(2000));
  expect(held.ask('d1', at(2001)).usesWanted).toBe(1);
});

test('the wall clock is read first before a call, and last at a use', () => {
  const order: string[] = [];
  const note = (name: string) => () => order.push(name);
  const clocks = { wall: note('wall'), monotonic: note('monotonic') };
  expect([readBeforeCall(clocks), readAtUse(clocks)]).toEqual([
    { wallMs: 1, monotonicMs: 2 },
    { wallMs: 4, monotonicMs: 3 },
  ]);
  expect(order).toEqual(['wall', 'monotonic', 'monotonic', 'wall']);
});
