import { describe, expect, it } from '@jest/globals';
import { PassingMap } from './passing-map.js';

describe('PassingMap', () => {
  it('has the remaining entries in order after any number of removals', () => {
    const map = new PassingMap<number, string>();
    for (let n = 0; n < 1000; n += 1) {
      map.set(n, `value ${n}`);
      if (n >= 10) map.delete(n - 10);
    }
    expect(map.size).toBe(10);
    expect([...map.values()]).toEqual(Array.from({ length: 10 }, (_, n) => `value ${990 + n}`));
    expect([map.get(995), map.has(995)]).toEqual(['value 995', true]);
    expect([map.get(5), map.has(5)]).toEqual([undefined, false]);
  });

  it('ignores the removal of a missing entry', () => {
    const map = new PassingMap<string, number>();
    map.set('a', 1);
    for (let n = 0; n < 1000; n += 1) map.delete('b');
    expect([...map.values()]).toEqual([1]);
  });

  it('replaces its internal map, which would keep removed entries in memory', () => {
    const map = new PassingMap<number, number>();
    const begunWith = map.values();
    for (let n = 0; n < 1000; n += 1) {
      map.set(n, n);
      if (n >= 10) map.delete(n - 10);
    }
    // An iteration shows entries that are set during it. So the newest entry would appear if the old table were in use.
    expect([...begunWith]).not.toContain(999);
    expect([...map.values()]).toContain(999);
  });
});
