import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FairQueue } from './fair-queue.js';

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
