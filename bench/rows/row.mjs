import { summary } from '../lib/statistics.mjs';

/**
 * A line of the table.
 * @typedef {object} Row
 * @property {string} what
 * @property {{ atLeast?: number, atMost?: number, unit?: string }} target
 * @property {{ median: number, min: number, max: number }} value
 * @property {Record<string, { median: number, min: number, max: number }>} sides what was measured, in the unit of its name
 *
 * @param {string} what
 * @param {Row['target']} target
 * @param {readonly number[]} values one a run
 * @param {Record<string, readonly number[]>} sides
 * @returns {Row}
 */
export function row(what, target, values, sides) {
  return {
    what,
    target,
    value: summary(values),
    sides: Object.fromEntries(Object.entries(sides).map(([name, measured]) => [name, summary(measured)])),
  };
}

/**
 * The first side ÷ the second within each run, so that a busy machine slows both.
 * @param {string} what
 * @param {Row['target']} target
 * @param {Record<string, readonly number[]>} sides two of them
 * @returns {Row}
 */
export function ratioRow(what, target, sides) {
  const [above, below] = /** @type {[readonly number[], readonly number[]]} */ (Object.values(sides));
  return row(
    what,
    target,
    above.map((value, run) => value / /** @type {number} */ (below[run])),
    sides,
  );
}
