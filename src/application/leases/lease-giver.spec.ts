import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { ChangeMessages } from '../ports.js';
import { LeaseGiver } from './lease-giver.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const NOTIFIED = { notificationId: 'n1', ownerId: 'Ann' };

/** A process with two streams, and everything that it sends, in order. */
function open() {
  const sent: unknown[] = [];
  let own: string | undefined = 'r1';
  let recall: Parameters<ChangeMessages['onChange']>[0] = () => undefined;
  const messages: ChangeMessages = {
    onChange: (listener) => void (recall = listener),
    acknowledge: (...message) => void sent.push(['acknowledged', ...message]),
  };
  const giver = new LeaseGiver({ own: () => own }, messages);
  const stream = (name: string) => ({ recall: (ids: readonly number[]) => void sent.push([name, ...ids]) });
  const streams = { one: stream('one'), other: stream('other') };
  const begin = (on: keyof typeof streams = 'one') =>
    giver.begin({ stream: streams[on], arrivedAtMs: performance.now(), understands: new Set() });
  const offer = { ownerId: 'Ann', lengthMs: 1000, uses: 5, rights: undefined as never };
  const give = (ownerId = 'Ann', on: keyof typeof streams = 'one') => {
    const attempt = begin(on);
    const id = giver.give(attempt, { ...offer, ownerId });
    giver.end(attempt);
    return id;
  };
  const register = (id: string | undefined) => void (own = id);
  return { giver, sent, streams, begin, give, offer, register, notified: (notice = NOTIFIED) => recall(notice) };
}

test('a notification recalls the leases of its owner, and is acknowledged once they are given back', () => {
  const { giver, give, sent, streams, notified } = open();
  const ids = [give(), give('Bob'), give('Ann', 'other'), give()];
  expect([ids, giver.held]).toEqual([[1, 2, 3, 4], 4]);
  notified();
  expect(sent).toEqual([
    ['one', 1, 4],
    ['other', 3],
  ]);
  giver.giveBack(streams.one, [1, 4]);
  giver.giveBack(streams.other, [3]);
  expect(sent.slice(2)).toEqual([['acknowledged', 'r1', 'n1']]);
  expect([giver.counts, giver.held]).toEqual([{ given: 4, charged: 20, recalled: 3 }, 1]);
});

test('where nothing was given, a notification is acknowledged at once', () => {
  const { give, sent, notified } = open();
  give('Bob');
  notified();
  expect(sent).toEqual([['acknowledged', 'r1', 'n1']]);
});

test('a silent holder is waited for until the length of its lease and 2 % have passed', () => {
  const { give, sent, notified } = open();
  give();
  jest.advanceTimersByTime(200);
  notified();
  jest.advanceTimersByTime(819);
  expect(sent).toEqual([['one', 1]]);
  jest.advanceTimersByTime(2);
  expect(sent.slice(1)).toEqual([['acknowledged', 'r1', 'n1']]);
});

test('several notifications are acknowledged, each when its own leases are over', () => {
  const { giver, give, sent, streams, notified } = open();
  give();
  jest.advanceTimersByTime(500);
  give('Bob', 'other');
  notified();
  notified({ notificationId: 'n2', ownerId: 'Bob' });
  giver.giveBack(streams.other, [2]);
  expect(sent.slice(2)).toEqual([['acknowledged', 'r1', 'n2']]);
  jest.advanceTimersByTime(521);
  expect(sent.slice(3)).toEqual([['acknowledged', 'r1', 'n1']]);
});

test('no lease is given if a notification arrived while the key was read', () => {
  const { giver, begin, offer, notified } = open();
  const [before, other] = [begin(), begin()];
  notified();
  expect(giver.give(before, offer)).toBeUndefined();
  expect(giver.give(other, { ...offer, ownerId: 'Bob' })).toBe(1);
  expect(giver.give(begin(), offer)).toBe(2);
});

test('the acknowledgement names the registration of that moment, and is left out without one', () => {
  const { sent, notified, register } = open();
  register('r2');
  notified();
  register(undefined);
  notified();
  expect(sent).toEqual([['acknowledged', 'r2', 'n1']]);
});

test('leases that are over are removed, and then nothing runs any more', () => {
  const { giver, give } = open();
  give();
  jest.advanceTimersByTime(900);
  expect([giver.held, jest.getTimerCount()]).toEqual([1, 1]);
  jest.advanceTimersByTime(2000);
  expect([giver.held, jest.getTimerCount()]).toEqual([0, 0]);
});
