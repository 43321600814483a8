import { describe, expect, it } from '@jest/globals';
import { ballast, oldGenerationGrowth } from '../../../../test/support/old-generation.js';
import { PassingMap } from './passing-map.js';

const MEGABYTE = 1024 * 1024;

describe('a map that entries pass through', () => {
  it('has what was set and not removed, in order, however much has gone', () => {
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

  it('takes no notice of the removal of what it does not have', () => {
    const map = new PassingMap<string, number>();
    map.set('a', 1);
    for (let n = 0; n < 1000; n += 1) map.delete('b');
    expect([...map.values()]).toEqual([1]);
  });

  it('keeps nothing of what was removed, even when the map itself is old', async () => {
    const map = new PassingMap<number, unknown>();
    let n = 0;
    const growth = await oldGenerationGrowth(() => {
      for (let entry = 0; entry < 200; entry += 1) {
        map.set((n += 1), ballast());
        map.delete(n - 20);
      }
    });
    // 4,000 entries of eight kilobytes went through it.
    expect(growth).toBeLessThan(4 * MEGABYTE);
  });
});
