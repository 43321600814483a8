import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Tally } from './instrument.js';
import { ChangeTimes } from './request-times.js';

const BOUNDS = [0.001, 0.01, 0.1, 1];

describe('a tally', () => {
  test('counts the values at or below each bound', () => {
    const value = fc.oneof(fc.constantFrom(...BOUNDS, 0), fc.double({ min: 0, max: 10, noNaN: true }));
    fc.assert(
      fc.property(fc.array(value), (values) => {
        const tally = new Tally(BOUNDS);
        for (const one of values) tally.observe(one);
        const expected = BOUNDS.map((bound) => [String(bound), values.filter((one) => one <= bound).length]);
        expect(tally.cumulative()).toEqual([...expected, ['+Inf', values.length]]);
        expect(tally.sum).toBeCloseTo(values.reduce((sum, one) => sum + one, 0));
        expect(tally.count).toBe(values.length);
      }),
    );
  });

  test('counts the seconds since an earlier time', () => {
    const tally = new Tally();
    tally.observeSince(performance.now() - 2000);
    expect(tally.sum).toBeGreaterThanOrEqual(2);
    expect(tally.sum).toBeLessThan(3);
  });
});

test('the times that calls waited for leases are counted and added up', () => {
  const times = new ChangeTimes();
  times.waited(550);
  times.waited(551);
  const { values } = times.instruments()[0]!.get();
  const valueOf = (name: string) => values.find(({ metricName }) => metricName === name)?.value;
  expect(valueOf('latchkey_change_wait_seconds_count')).toBe(2);
  expect(valueOf('latchkey_change_wait_seconds_sum')).toBeCloseTo(1.101);
});
