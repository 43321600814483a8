import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { NotedUse } from './noted-key.js';
import { NotedUsage } from './noted-usage.js';

const at = (ms: number) => new Date(ms);
const grant = (usage: NotedUsage, keyId: string, ms: number) => usage.noteGrant(keyId, null, null, at(ms));
const lastUses = (uses: readonly NotedUse[]) => uses.map(({ keyId, lastMs }) => [keyId, lastMs]);

function seconds(usage: NotedUsage, count: number): NotedUse[] {
  return Array.from({ length: count }, () => usage.takeDue()).flat();
}

/** Seconds from one write of the key to the next, while it is used every second. */
function rests(usage: NotedUsage, count: number): number[] {
  const taken: number[] = [];
  for (let second = 1; second <= count; second += 1) {
    grant(usage, 'a', second);
    for (const { keyId, lastMs } of usage.takeDue()) {
      if (keyId !== 'a') continue;
      expect(lastMs).toBe(second);
      taken.push(second);
    }
  }
  return taken.slice(1).map((second, index) => second - taken[index]!);
}

describe('noted usage', () => {
  test('has a first use due in the next second', () => {
    const usage = new NotedUsage();
    grant(usage, 'a', 1);
    grant(usage, 'b', 2);
    expect(lastUses(usage.takeDue())).toEqual([
      ['a', 1],
      ['b', 2],
    ]);
  });

  test('has a first use due in the next second even after a refusal was written', () => {
    const usage = new NotedUsage();
    usage.noteDenial('a', at(1));
    expect(lastUses(usage.takeDue())).toEqual([['a', undefined]]);
    grant(usage, 'a', 2);
    expect(lastUses(usage.takeDue())).toEqual([['a', 2]]);
    grant(usage, 'a', 3);
    expect(lastUses(usage.takeDue())).toEqual([]);
    expect(lastUses(seconds(usage, 10))).toEqual([['a', 3]]);
    expect(Math.min(...rests(usage, 100))).toBeGreaterThanOrEqual(5);
  });

  test('has a key in constant use due every 5 to 10 seconds', () => {
    const of = rests(new NotedUsage(), 200);
    expect(of.length).toBeGreaterThanOrEqual(19);
    expect(Math.min(...of)).toBeGreaterThanOrEqual(5);
    expect(Math.max(...of)).toBeLessThanOrEqual(10);
  });

  test('has forty thousand keys in constant use due every 10 to 20 seconds, spread out', () => {
    const usage = new NotedUsage();
    for (let n = 0; n < 40_000; n += 1) grant(usage, `key-${n}`, 1);
    usage.takeDue();
    for (let n = 0; n < 40_000; n += 1) grant(usage, `key-${n}`, 2);
    const dueInSecond = Array.from({ length: 20 }, () => usage.takeDue().length);
    expect(dueInSecond.slice(0, 9)).toEqual(new Array(9).fill(0));
    expect(dueInSecond.reduce((sum, due) => sum + due, 0)).toBe(40_000);
    expect(Math.max(...dueInSecond)).toBeLessThan(6000);
  });

  test('forgets a key that was not used during its pause, so that its next use is a first one', () => {
    const usage = new NotedUsage();
    grant(usage, 'a', 1);
    expect(lastUses(seconds(usage, 200))).toEqual([['a', 1]]);
    grant(usage, 'a', 2);
    expect(lastUses(usage.takeDue())).toEqual([['a', 2]]);
  });

  test('has all uses due when there are more keys than it may keep', () => {
    const usage = new NotedUsage(1500);
    for (const round of [1, 2]) {
      for (let n = 0; n < 2000; n += 1) grant(usage, `key-${n}`, round);
      expect(usage.takeDue().length).toBeGreaterThan(round === 1 ? 1999 : 499);
    }
  });

  test('returns in all the last use of each key, and each grant and refusal once', () => {
    const keyId = fc.constantFrom('a', 'b', 'c');
    const step = fc.oneof(
      fc.record({ keyId, ms: fc.nat(1000), isGranted: fc.boolean() }),
      fc.constant('a second' as const),
    );
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const usage = new NotedUsage();
        const taken: NotedUse[] = [];
        const noted = steps.filter((one) => one !== 'a second');
        for (const one of steps) {
          if (one === 'a second') taken.push(...usage.takeDue());
          else if (one.isGranted) grant(usage, one.keyId, one.ms);
          else usage.noteDenial(one.keyId, at(one.ms));
        }
        taken.push(...usage.takeAll());
        expect(usage.takeAll()).toEqual([]);
        for (const id of ['a', 'b', 'c']) {
          const own = taken.filter((use) => use.keyId === id);
          const [granted, refused] = [true, false].map((is) =>
            noted.filter((one) => one.keyId === id && one.isGranted === is),
          );
          const sum = (what: 'granted' | 'refused') =>
            own.flatMap(({ days }) => days).reduce((total, day) => total + day[what], 0);
          expect([sum('granted'), sum('refused')]).toEqual([granted!.length, refused!.length]);
          const last = Math.max(0, ...own.map(({ lastMs }) => lastMs ?? 0));
          expect(last).toBe(Math.max(0, ...granted!.map(({ ms }) => ms)));
        }
      }),
    );
  });
});
