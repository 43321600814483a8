import { afterAll, afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Batcher } from './batcher.js';

/** Batches of numbers. Each is answered with its negative when the test says so. */
function batcher(maxBatch = 10) {
  const sent: { items: readonly number[]; answer(): Promise<void>; refuse(): Promise<void> }[] = [];
  const send = (items: readonly number[]) =>
    new Promise<number[]>((resolve, reject) => {
      const answer = () => Promise.resolve(resolve(items.map((item) => -item)));
      const refuse = () => Promise.resolve(reject(new Error('away')));
      sent.push({ items, answer, refuse });
    });
  return {
    sent,
    batches: new Batcher({ send, maxBatch, maxInFlight: 2, timeoutMs: 1000, name: 'test' }),
  };
}
const oneTurn = () => new Promise((resolve) => setImmediate(resolve));
const numbers = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);
const sizes = (sent: { items: readonly number[] }[]) => sent.map(({ items }) => items.length);

test('items of one turn are sent together, and each gets its own answer', async () => {
  const { sent, batches } = batcher();
  const answers = [batches.add(1), batches.add(2), batches.add(3)];
  await oneTurn();
  expect(sent.map(({ items }) => items)).toEqual([[1, 2, 3]]);
  await sent[0]!.answer();
  expect(await Promise.all(answers)).toEqual([-1, -2, -3]);
});

describe('sharing the waiting items among several batches', () => {
  const utilization = jest.spyOn(performance, 'eventLoopUtilization');
  const beBusy = (share: number) => utilization.mockReturnValue({ idle: 0, active: 0, utilization: share });
  afterAll(() => utilization.mockRestore());

  test('happens when there are many items and spare time', async () => {
    const { sent, batches } = batcher(100);
    beBusy(0.5);
    const answers = numbers(0, 64).map((n) => batches.add(n));
    await oneTurn();
    expect(sent.map(({ items }) => items)).toEqual([numbers(0, 32), numbers(32, 32)]);
    for (const batch of sent) await batch.answer();
    expect(await Promise.all(answers)).toEqual(numbers(0, 64).map((n) => -n));
  });

  test('does not happen when there are few items', async () => {
    const { sent, batches } = batcher(100);
    beBusy(0.5);
    for (const n of numbers(0, 62)) void batches.add(n);
    await oneTurn();
    expect(sizes(sent)).toEqual([62]);
  });

  test('does not happen without spare time', async () => {
    const { sent, batches } = batcher(100);
    beBusy(0.9);
    for (const n of numbers(0, 64)) void batches.add(n);
    await oneTurn();
    expect(sizes(sent)).toEqual([64]);
  });
});

test('an item never joins a sent batch, and waits until the next one may be sent', async () => {
  const { sent, batches } = batcher();
  const first = numbers(0, 25).map((n) => batches.add(n));
  await oneTurn();
  expect(sizes(sent)).toEqual([10, 10]);
  const late = batches.add(99);
  await oneTurn();
  expect(sizes(sent)).toEqual([10, 10]);
  await sent[0]!.answer();
  await oneTurn();
  expect(sent[2]!.items).toEqual([...numbers(20, 5), 99]);
  for (const batch of sent.slice(1)) await batch.answer();
  expect(await Promise.all([...first, late])).toEqual([...numbers(0, 25), 99].map((n) => -n));
});

test('a failed batch rejects only its own items', async () => {
  const { sent, batches } = batcher();
  const outcomes = Promise.allSettled(numbers(0, 14).map((n) => batches.add(n)));
  await oneTurn();
  await sent[0]!.refuse();
  await sent[1]!.answer();
  expect((await outcomes).map(({ status }) => status)).toEqual([
    ...new Array<string>(10).fill('rejected'),
    ...new Array<string>(4).fill('fulfilled'),
  ]);
});

describe('a batcher on a fake clock', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  test('pauses between two batches, and sends together the items of the pause', async () => {
    const sent: (readonly number[])[] = [];
    const send = async (items: readonly number[]) => {
      sent.push(items);
      return items;
    };
    const pauseMs = () => 50;
    const batches = new Batcher({ send, maxBatch: 10, maxInFlight: 2, timeoutMs: 1000, pauseMs, name: 'test' });
    void batches.add(1);
    await jest.advanceTimersByTimeAsync(1);
    const answers = [batches.add(2)];
    await jest.advanceTimersByTimeAsync(30);
    answers.push(batches.add(3));
    await jest.advanceTimersByTimeAsync(18);
    expect(sent).toEqual([[1]]);
    await jest.advanceTimersByTimeAsync(2);
    expect(sent).toEqual([[1], [2, 3]]);
    expect(await Promise.all(answers)).toEqual([2, 3]);
  });

  test.each([
    ['at once, keeps the waiting items', 0, []],
    ['late, rejects the waiting items too', 1000, [3, 4]],
  ])('when a batch fails %s', async (_, afterMs, rejectedToo) => {
    const { sent, batches } = batcher(1);
    const rejected: number[] = [];
    for (const n of [1, 2, 3, 4]) batches.add(n).catch(() => rejected.push(n));
    await jest.advanceTimersByTimeAsync(afterMs + 1);
    await sent[0]!.refuse();
    await jest.advanceTimersByTimeAsync(0);
    expect(rejected).toEqual([1, ...rejectedToo]);
  });

  test('uses the replacement answer for all items after a late failure', async () => {
    const send = async () => {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      throw new Error('away');
    };
    const instead = (item: number) => item * 100;
    const batches = new Batcher({ send, instead, maxBatch: 1, maxInFlight: 1, timeoutMs: 1000, name: 'test' });
    const answers = Promise.all([1, 2, 3].map((n) => batches.add(n)));
    await jest.advanceTimersByTimeAsync(1002);
    expect(await answers).toEqual([100, 200, 300]);
  });
});
