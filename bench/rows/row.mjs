import { whileRevoking } from '../lib/revoker.mjs';
import { summary } from '../lib/statistics.mjs';

/**
 * Measures the sides one after the other, again and again, so that a busy machine slows all of them. The first round
 * warms up and does not count.
 * @template {string} Side
 * @param {number} runs
 * @param {Record<Side, () => Promise<number>>} sides
 * @returns {Promise<Record<Side, number[]>>} the values of each side, run by run
 */
export async function interleave(runs, sides) {
  const names = /** @type {Side[]} */ (Object.keys(sides));
  const measured = /** @type {Record<Side, number[]>} */ (Object.fromEntries(names.map((name) => [name, []])));
  for (let run = -1; run < runs; run += 1) {
    for (const name of names) {
      const value = await sides[name]();
      if (run >= 0) measured[name].push(value);
    }
  }
  return measured;
}

/**
 * Measures the same way while keys of this service are being revoked.
 * @template {string} Side
 * @param {Parameters<typeof whileRevoking>[0]} service
 * @param {number} runs
 * @param {Record<Side, () => Promise<number>>} sides
 */
export const compare = (service, runs, sides) => whileRevoking(service, () => interleave(runs, sides));

/**
 * A row of the table.
 * @typedef {object} Row
 * @property {string} what
 * @property {{ atLeast?: number, atMost?: number, unit?: string }} target
 * @property {{ median: number, min: number, max: number }} value
 * @property {Record<string, { median: number, min: number, max: number }>} sides what was measured, in the unit of its
 *   name
 *
 * @param {string} what
 * @param {Row['target']} target
 * @param {readonly number[]} values one per run
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
