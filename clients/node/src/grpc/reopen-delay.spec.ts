import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ReopenDelay } from './reopen-delay.js';

describe('ReopenDelay', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  /** The pause before each of several attempts in a row, in milliseconds. */
  function waits(delay: ReopenDelay, ...wereGood: boolean[]): number[] {
    return wereGood.map((wasGood) => {
      const start = performance.now();
      let openedAt = Infinity;
      delay.run(wasGood, () => (openedAt = performance.now()));
      jest.runAllTimers();
      return openedAt - start;
    });
  }

  it('doubles the wait up to a second while no stream gets an answer', () => {
    const [first, ...later] = waits(new ReopenDelay(), ...Array<boolean>(8).fill(false));
    expect(first).toBeLessThanOrEqual(1);
    [50, 100, 200, 400, 800, 1000, 1000].forEach((longestMs, n) => {
      expect(later[n]).toBeGreaterThanOrEqual(longestMs / 2 - 1);
      expect(later[n]).toBeLessThanOrEqual(longestMs);
    });
  });

  it('opens at once after a stream with an answer, and after a long pause', () => {
    const delay = new ReopenDelay();
    expect(waits(delay, false, false, false, true).at(-1)).toBeLessThanOrEqual(1);
    waits(delay, false, false);
    jest.advanceTimersByTime(11_000);
    expect(waits(delay, false).at(-1)).toBeLessThanOrEqual(1);
  });
});
