import { describe, expect, test } from '@jest/globals';
import { filled } from '../../bench/scale/report.mjs';
import { between, costAt, fit, fleet, predict } from '../../bench/scale/model.mjs';
import { readResults } from '../../bench/scale/results.mjs';
import { textOf } from '../support/reading/pages.js';

const PAGE = textOf('docs/scale.md');
const COSTS = readResults('costs');

test('docs/scale.md holds the tables that come of what was measured', () => {
  expect(PAGE).toBe(filled(PAGE));
  expect(PAGE.match(/^<!-- end -->$/gm)).toHaveLength(10);
});

describe('the model', () => {
  test('finds the costs that points were made of', () => {
    const made = [1, 10, 100, 500].map((batch) => ({ batch, micros: costAt({ each: 5, perBatch: 40 }, batch) }));
    const { each, perBatch } = fit(made);
    expect(each).toBeCloseTo(5);
    expect(perBatch).toBeCloseTo(40);
  });

  test('says of a load that was measured what was measured', () => {
    for (const { perSecond, batch, micros } of COSTS.paced) {
      const said = between(COSTS.paced, 'perSecond', perSecond);
      expect(said.batch).toBeCloseTo(batch);
      expect(said.micros.postgres).toBeCloseTo(micros.postgres);
    }
  });

  test('asks for no fewer processes and connections where more is asked', () => {
    const needs = [1e3, 1e4, 1e5, 1e6].map((perSecond) => fleet(COSTS, { perSecond, storedKeys: 1, keysInUse: 1e5 }));
    const rising = (values: number[]) => expect(values).toEqual([...values].sort((one, other) => one - other));
    rising(needs.map(({ processes }) => processes));
    rising(needs.map(({ connections }) => connections));
  });

  const results = readResults('check');
  const checks: Parameters<typeof predict>[1][] = results.checks;
  const named = checks.map((check) => {
    const load = check.perSecond === undefined ? `${check.inFlight} in flight` : `${check.perSecond} a second`;
    return { load, check };
  });
  test.each(named)('is at most 25 % from what was measured with $load', ({ check }) => {
    const [said, is] = [predict(results, check), check.measured];
    const apart = (one: number, other: number) => Math.abs(one / other - 1);
    expect(apart(said.perSecond, is.perSecond)).toBeLessThanOrEqual(0.25);
    expect(apart(said.micros.service, is.micros.service)).toBeLessThanOrEqual(0.25);
    expect(apart(said.micros.postgres, is.micros.postgres)).toBeLessThanOrEqual(0.25);
  });
});
