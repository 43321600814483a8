import { afterAll, afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { PLATFORM, type Requester } from '#application/sign-in-ports.js';
import { Batcher } from './batcher.js';
import { FairQueue, Gate } from './gate.js';

describe('Batcher', () => {
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
});

describe('FairQueue', () => {
  const queueOf = (...entries: string[]) => {
    const queue = new FairQueue<string>();
    for (const entry of entries) queue.add(entry[0]!, entry);
    return queue;
  };
  const all = (queue: FairQueue<string>) => Array.from({ length: queue.size }, () => queue.shift());

  test('serves the names in turn, and the entries of a name in order', () => {
    expect(all(queueOf('a1', 'a2', 'a3', 'b1', 'c1', 'c2'))).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  });

  test('puts a name that comes back behind the others', () => {
    const queue = queueOf('a1', 'b1');
    expect(queue.shift()).toBe('a1');
    queue.add('a', 'a2');
    expect(all(queue)).toEqual(['b1', 'a2']);
  });

  test('drops the last entry of the longest name, or of the given one if none is longer', () => {
    expect(queueOf('a1', 'b1', 'b2', 'b3', 'c1').dropFor('c')).toBe('b3');
    expect(queueOf('a1', 'a2', 'b1', 'b2').dropFor('b')).toBe('b2');
    expect(queueOf('a1').dropFor('a')).toBe('a1');
    expect(new FairQueue().dropFor('a')).toBeUndefined();
  });

  test('shows the next entry, loses none and counts correctly in any use', () => {
    const uses = fc.array(fc.oneof(fc.constantFrom('a', 'b', 'c', 'd'), fc.constant('shift'), fc.constant('drop')));
    fc.assert(
      fc.property(uses, (steps) => {
        const queue = new FairQueue<string>();
        const inside = new Set<string>();
        steps.forEach((step, n) => {
          if (step === 'shift') {
            const next = queue.first();
            expect(queue.shift()).toBe(next);
            if (next) expect(inside.delete(next)).toBe(true);
          } else if (step === 'drop') {
            const dropped = queue.dropFor('a');
            if (dropped) expect(inside.delete(dropped)).toBe(true);
          } else {
            queue.add(step, `${step}${n}`);
            inside.add(`${step}${n}`);
          }
          expect(queue.size).toBe(inside.size);
        });
        expect(new Set(all(queue))).toEqual(inside);
      }),
    );
  });
});

describe('Gate', () => {
  const stranger = (name: string): Requester => ({ name, isKnown: false });
  const owner = (name: string): Requester => ({ name, isKnown: true });
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  /** Work that ends when the test ends it. */
  class Crowd {
    /** The labels of running work, in the order in which it started. */
    readonly inside: string[] = [];
    readonly entered: string[] = [];
    readonly refused: string[] = [];
    private readonly ends = new Map<string, () => void>();

    constructor(private readonly gate: Gate) {}

    async come(label: string, requester: Requester = PLATFORM, weight = 0): Promise<void> {
      const work = () =>
        new Promise<void>((resolve) => {
          this.inside.push(label);
          this.entered.push(label);
          this.ends.set(label, resolve);
        });
      this.gate
        .pass(work, requester, weight)
        .catch((error: { code: string }) => this.refused.push(`${label} ${error.code}`));
      await turn();
    }

    async leave(label = this.inside[0]!): Promise<void> {
      this.inside.splice(this.inside.indexOf(label), 1);
      this.ends.get(label)!();
      await turn();
    }

    async leaveAll(): Promise<void> {
      while (this.inside.length > 0) await this.leave();
    }
  }

  test('one place stays free for known callers, even with many strangers', async () => {
    const crowd = new Crowd(new Gate({ atOnce: 2, queueLength: 4 }));
    for (const n of [1, 2, 3, 4]) await crowd.come(`s${n}`, stranger(`${n}`));
    expect(crowd.inside).toEqual(['s1']);
    await crowd.come('confirmation', owner('confirm:ada'));
    expect(crowd.inside).toEqual(['s1', 'confirmation']);
    await crowd.leave('confirmation');
    expect(crowd.inside).toEqual(['s1']);
  });

  test('with one place, known callers and strangers take turns, known callers first', async () => {
    const crowd = new Crowd(new Gate({ atOnce: 1, queueLength: 9 }));
    for (const n of [1, 2, 3]) await crowd.come(`s${n}`, stranger(`${n}`));
    for (const n of [1, 2, 3]) await crowd.come(`k${n}`);
    await crowd.leaveAll();
    expect(crowd.entered).toEqual(['s1', 'k1', 's2', 'k2', 's3', 'k3']);
  });

  test('a new stranger takes the place of the network with the most entries', async () => {
    const crowd = new Crowd(new Gate({ atOnce: 1, queueLength: 3 }));
    for (const n of [1, 2, 3, 4, 5]) await crowd.come(`flood${n}`, stranger('203.0.113.66'));
    expect(crowd.refused).toEqual(['flood5 busy']);
    await crowd.come('ada', stranger('198.51.100.7'));
    expect(crowd.refused).toEqual(['flood5 busy', 'flood4 busy']);
    await crowd.leaveAll();
    expect(crowd.entered).toEqual(['flood1', 'flood2', 'ada', 'flood3']);
  });

  test('many calls of the platform do not delay an owner', async () => {
    const crowd = new Crowd(new Gate({ atOnce: 1, queueLength: 3 }));
    for (const n of [1, 2, 3, 4]) await crowd.come(`import${n}`);
    await crowd.come('ada', owner('confirm:ada'));
    await crowd.leaveAll();
    expect(crowd.entered).toEqual(['import1', 'import2', 'ada', 'import3']);
    expect(crowd.refused).toEqual(['import4 busy']);
  });

  test('work that does not fit waits in its turn, and work above the limit runs alone', async () => {
    const crowd = new Crowd(new Gate({ atOnce: 3, queueLength: 9, weight: 100 }));
    await crowd.come('60', PLATFORM, 60);
    await crowd.come('41', PLATFORM, 41);
    await crowd.come('10', PLATFORM, 10);
    expect(crowd.inside).toEqual(['60']);
    await crowd.leave('60');
    expect(crowd.inside).toEqual(['41', '10']);
    await crowd.come('101', PLATFORM, 101);
    await crowd.come('1', PLATFORM, 1);
    expect(crowd.inside).toEqual(['41', '10']);
    await crowd.leave('41');
    expect(crowd.inside).toEqual(['10']);
    await crowd.leave('10');
    expect(crowd.inside).toEqual(['101']);
    await crowd.leave('101');
    expect(crowd.inside).toEqual(['1']);
  });

  test('only a stranger whose own entry would be dropped is refused in advance', async () => {
    const gate = new Gate({ atOnce: 1, queueLength: 3 });
    const crowd = new Crowd(gate);
    const outcomeOf = (requester: Requester) => {
      try {
        return void gate.requireRoom(requester);
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    for (const n of [1, 2, 3]) await crowd.come(`flood${n}`, stranger('203.0.113.66'));
    expect(outcomeOf(stranger('203.0.113.66'))).toBeUndefined();
    await crowd.come('flood4', stranger('203.0.113.66'));
    expect(outcomeOf(stranger('203.0.113.66'))).toBe('busy');
    // One call of the flood would be dropped to make room.
    expect([outcomeOf(stranger('198.51.100.7')), outcomeOf(owner('ada'))]).toEqual([undefined, undefined]);
    await crowd.leave();
    expect(outcomeOf(stranger('203.0.113.66'))).toBeUndefined();
    for (const n of [5, 6]) await crowd.come(`s${n}`, stranger(`198.51.100.${n}`));
    expect(crowd.refused).toEqual(['flood4 busy']);
    // Now each name has one entry, so none is dropped.
    expect([outcomeOf(stranger('198.51.100.7')), outcomeOf(PLATFORM)]).toEqual(['busy', undefined]);
  });
});
