import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { NotedUses } from './noted-uses.js';

const at = (ms: number) => new Date(ms);

function seconds(uses: NotedUses, count: number): [string, Date][] {
  return Array.from({ length: count }, () => uses.takeDue()).flat();
}

test('a first use is due in the next second', () => {
  const uses = new NotedUses();
  uses.note('a', at(1));
  uses.note('b', at(2));
  expect(uses.takeDue()).toEqual([
    ['a', at(1)],
    ['b', at(2)],
  ]);
});

test('a key in constant use is due once in 30 to 60 seconds, with its last use', () => {
  const uses = new NotedUses();
  const taken: number[] = [];
  for (let second = 1; second <= 600; second += 1) {
    uses.note('a', at(second));
    for (const [, time] of uses.takeDue()) {
      expect(time).toEqual(at(second));
      taken.push(second);
    }
  }
  expect(taken.length).toBeGreaterThanOrEqual(10);
  const rests = taken.slice(1).map((second, index) => second - taken[index]!);
  expect(Math.min(...rests)).toBeGreaterThanOrEqual(30);
  expect(Math.max(...rests)).toBeLessThanOrEqual(60);
});

test('a key that was not used while it rested is forgotten, and its next use is a first one', () => {
  const uses = new NotedUses();
  uses.note('a', at(1));
  expect(seconds(uses, 200)).toEqual([['a', at(1)]]);
  uses.note('a', at(2));
  expect(uses.takeDue()).toEqual([['a', at(2)]]);
});

test('more keys than are remembered are due all the same, each time', () => {
  const uses = new NotedUses();
  for (const round of [1, 2]) {
    for (let n = 0; n < 200_000; n += 1) uses.note(`key-${n}`, at(round));
    const due = uses.takeDue();
    expect(due.length).toBeGreaterThan(round === 1 ? 199_999 : 49_999);
  }
});

test('whatever is noted, the last use of each key is taken in the end, and none twice', () => {
  const step = fc.oneof(
    fc.record({ keyId: fc.constantFrom('a', 'b', 'c'), ms: fc.nat(1000) }),
    fc.constant('a second' as const),
  );
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const uses = new NotedUses();
      const [taken, last] = [[] as [string, Date][], new Map<string, number>()];
      for (const one of steps) {
        if (one === 'a second') taken.push(...uses.takeDue());
        else {
          uses.note(one.keyId, at(one.ms));
          last.set(one.keyId, Math.max(one.ms, last.get(one.keyId) ?? 0));
        }
      }
      taken.push(...uses.takeAll());
      expect(uses.takeAll()).toEqual([]);
      for (const [keyId, ms] of last) {
        const times = taken.filter(([id]) => id === keyId).map(([, time]) => time.getTime());
        expect(Math.max(...times)).toBe(ms);
      }
    }),
  );
});
