import { describe, expect, it } from '@jest/globals';
import { ballast, oldGenerationGrowth } from '../../../../test/support/processes/old-generation.js';
import { PassingMap } from './passing-map.js';

const MEGABYTE = 1024 * 1024;

describe('PassingMap', () => {
  it('releases the memory of removed entries, even when the map itself is old', async () => {
    const map = new PassingMap<number, unknown>();
    let n = 0;
    const growth = await oldGenerationGrowth(() => {
      for (let entry = 0; entry < 200; entry += 1) {
        map.set((n += 1), ballast());
        map.delete(n - 20);
      }
    });
    // 4,000 entries of eight kilobytes each were added and removed.
    expect(growth).toBeLessThan(4 * MEGABYTE);
  });
});
