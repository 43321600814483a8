import { describe, expect, test } from '@jest/globals';
import { Batcher } from './batcher.js';

/** Batches of numbers, each answered with its negative when the test says so. */
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
    batches: new Batcher({ send, maxBatch, maxInFlight: 2, patienceMs: 1000, name: 'test' }),
  };
}
const oneTurn = () => new Promise((resolve) => setImmediate(resolve));
const numbers = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);
const sizes = (sent: { items: readonly number[] }[]) => sent.map(({ items }) => items.length);

test('what arrives in one turn is sent together, and everyone gets their own answer', async () => {
  const { sent, batches } = batcher();
  const answers = [batches.add(1), batches.add(2), batches.add(3)];
  await oneTurn();
  expect(sent.map(({ items }) => items)).toEqual([[1, 2, 3]]);
  await sent[0]!.answer();
  expect(await Promise.all(answers)).toEqual([-1, -2, -3]);
});

describe('what waits is shared out over the batches that may be in flight', () => {
  const idleFor = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const busyFor = (ms: number) => {
    const end = performance.now() + ms;
    while (performance.now() < end);
  };

  test('when there are many, and time to spare', async () => {
    const { sent, batches } = batcher(100);
    await idleFor(50);
    const answers = numbers(0, 64).map((n) => batches.add(n));
    await oneTurn();
    expect(sent.map(({ items }) => items)).toEqual([numbers(0, 32), numbers(32, 32)]);
    for (const batch of sent) await batch.answer();
    expect(await Promise.all(answers)).toEqual(numbers(0, 64).map((n) => -n));
  });

  test('but not when there are few', async () => {
    const { sent, batches } = batcher(100);
    await idleFor(50);
    for (const n of numbers(0, 62)) void batches.add(n);
    await oneTurn();
    expect(sizes(sent)).toEqual([62]);
  });

  test('nor when there is no time to spare', async () => {
    const { sent, batches } = batcher(100);
    busyFor(50);
    for (const n of numbers(0, 64)) void batches.add(n);
    await oneTurn();
    expect(sizes(sent)).toEqual([64]);
  });
});

test('nobody joins a batch that was sent: the next one waits until there is room', async () => {
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

test('a refusal reaches those who asked, and nobody else', async () => {
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

test('keeps the pause that is asked for between two sendings, and sends together what comes meanwhile', async () => {
  const sent: { items: readonly number[]; at: number }[] = [];
  const send = async (items: readonly number[]) => {
    sent.push({ items, at: performance.now() });
    return items;
  };
  const pauseMs = () => 50;
  const batches = new Batcher({ send, maxBatch: 10, maxInFlight: 2, patienceMs: 1000, pauseMs, name: 'test' });
  await batches.add(1);
  const next = batches.add(2);
  await oneTurn();
  expect(await Promise.all([next, batches.add(3)])).toEqual([2, 3]);
  expect(sent.map(({ items }) => items)).toEqual([[1], [2, 3]]);
  expect(sent[1]!.at - sent[0]!.at).toBeGreaterThanOrEqual(50);
});
