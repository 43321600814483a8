import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FloodGauge, LONGEST_PAUSE_MS, RowAllowance } from './failure-flood.js';

describe('FloodGauge', () => {
  const after = (failuresPerSecond: number, seconds: number) => {
    const gauge = new FloodGauge();
    const [stepMs, endMs] = [1000 / failuresPerSecond, seconds * 1000];
    for (let now = 0; now < endMs; now += stepMs) gauge.count(now);
    return { gauge, pauseMs: gauge.pauseMs(endMs), endMs };
  };

  test.each([
    ['one', 1],
    ['fifty', 50],
  ])('requires no pause while %s failures arrive each second, for any time', (_, perSecond) => {
    expect(after(perSecond, 60).pauseMs).toBe(0);
  });

  test.each([75, 100, 125])('requires a pause between none and the longest at %s failures a second', (perSecond) => {
    const { pauseMs } = after(perSecond, 10);
    expect(pauseMs).toBeGreaterThan(((perSecond - 60) / 100) * LONGEST_PAUSE_MS);
    expect(pauseMs).toBeLessThan(((perSecond - 40) / 100) * LONGEST_PAUSE_MS);
  });

  test.each([200, 100_000])('never exceeds the longest pause, at %s failures a second', (perSecond) => {
    const { pauseMs } = after(perSecond, 2);
    expect(pauseMs).toBeGreaterThan(LONGEST_PAUSE_MS * 0.95);
    expect(pauseMs).toBeLessThanOrEqual(LONGEST_PAUSE_MS);
  });

  test('requires no pause soon after the largest flood', () => {
    const { gauge, endMs } = after(100_000, 5);
    expect(gauge.pauseMs(endMs + 500)).toBeGreaterThan(0);
    expect(gauge.pauseMs(endMs + 1200)).toBe(0);
  });

  test('requires no pause after forget()', () => {
    const { gauge, endMs } = after(1000, 1);
    gauge.forget();
    expect(gauge.pauseMs(endMs)).toBe(0);
  });
});

test('allows at most 900 rows in any second, and some again soon', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 60 }), (pausesMs) => {
      const allowance = new RowAllowance();
      const written: { at: number; rows: number }[] = [];
      let now = 0;
      for (const pause of pausesMs) {
        now += pause;
        const rows = allowance.leftAt(now);
        if (pause >= 250) expect(rows).toBeGreaterThanOrEqual(175);
        allowance.spend(rows);
        written.push({ at: now, rows });
      }
      for (const { at: from } of written) {
        const within = written.filter(({ at }) => at >= from && at < from + 1000);
        expect(within.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThanOrEqual(900);
      }
    }),
  );
});
