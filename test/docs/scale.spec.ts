import { describe, expect, test } from '@jest/globals';
import { filled } from '../../bench/scale/tables/filled.mjs';
import { fit, at } from '../../bench/scale/model.mjs';
import { readResults } from '../../bench/scale/results.mjs';
import { textOf } from '../support/reading/pages.js';

const PAGE = textOf('docs/scale.md');

test('docs/scale.md holds the tables that come of what was measured', () => {
  expect(PAGE).toBe(filled(PAGE));
  expect(PAGE.match(/^<!-- end -->$/gm)).toHaveLength(10);
});

describe('the model', () => {
  test('finds the costs that points were made of', () => {
    const made = [1, 10, 100, 500].map((batch) => ({ batch, micros: at({ each: 5, perBatch: 40 }, batch) }));
    const { each, perBatch } = fit(made);
    expect(each).toBeCloseTo(5);
    expect(perBatch).toBeCloseTo(40);
  });

  interface Run {
    readonly perSecond: number;
    readonly micros: Readonly<Record<string, number>>;
  }
  const checks: { readonly inFlight: number; readonly measured: Run; readonly predicted: Run }[] =
    readResults('check').checks;
  test.each(checks)('is at most 25 % from what was measured with $inFlight in flight', ({ measured, predicted }) => {
    const apart = (said: number, is: number) => Math.abs(said / is - 1);
    expect(apart(predicted.perSecond, measured.perSecond)).toBeLessThanOrEqual(0.25);
    for (const who of ['service', 'postgres']) {
      expect(apart(predicted.micros[who]!, measured.micros[who]!)).toBeLessThanOrEqual(0.25);
    }
  });
});
