import { describe, expect, test } from '@jest/globals';
import { filled } from '../../bench/scale/report.mjs';
import { between, costAt, fit, fleet } from '../../bench/scale/model.mjs';
import { readScaleResults } from '../../bench/lib/results.mjs';
import { textOf } from '../support/reading/pages.js';

const PAGE = textOf('bench/scale/README.md');
const COSTS = readScaleResults();

test('bench/scale/README.md has the tables that report.mjs makes from the measurements', () => {
  expect(PAGE).toBe(filled(PAGE));
  expect(PAGE.match(/^<!-- end -->$/gm)).toHaveLength(7);
});

describe('the model', () => {
  test('fits the costs that the points were computed from', () => {
    const made = [1, 10, 100, 500].map((batch) => ({ batch, micros: costAt({ each: 5, perBatch: 40 }, batch) }));
    const { each, perBatch } = fit(made);
    expect(each).toBeCloseTo(5);
    expect(perBatch).toBeCloseTo(40);
  });

  test('returns the measured costs for a measured load', () => {
    for (const { perSecond, batch, micros } of COSTS.paced) {
      const predicted = between(COSTS.paced, perSecond);
      expect(predicted.batch).toBeCloseTo(batch);
      expect(predicted.micros.postgres).toBeCloseTo(micros.postgres);
    }
  });

  test('needs no fewer processes and connections for a larger load', () => {
    const needs = [1e3, 1e4, 1e5, 1e6].map((perSecond) => fleet(COSTS, { perSecond, storedKeys: 1, keysInUse: 1e5 }));
    const rising = (values: number[]) => expect(values).toEqual([...values].sort((one, other) => one - other));
    rising(needs.map(({ processes }) => processes));
    rising(needs.map(({ connections }) => connections));
  });
});
