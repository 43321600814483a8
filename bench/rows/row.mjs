import { columnsOf } from '../lib/markdown.mjs';
import { whileRevoking } from '../lib/revocations.mjs';
import { summary } from '../lib/statistics.mjs';

/**
 * Measures the sides one after the other, again and again, so that a busy machine slows all of them. The first round
 * warms up and does not count.
 * @template T
 * @param {number} runs @param {Record<string, () => Promise<T>>} sides
 * @returns {Promise<Record<string, T[]>>} the values of each side, run by run
 */
export async function interleave(runs, sides) {
  const names = Object.keys(sides);
  const measured = Object.fromEntries(names.map((name) => [name, /** @type {T[]} */ ([])]));
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
 * @param {Parameters<typeof whileRevoking>[0]} service
 * @param {number} runs @param {Record<string, () => Promise<number>>} sides
 */
export const compare = (service, runs, sides) => whileRevoking(service, () => interleave(runs, sides));

/**
 * @typedef {{ atLeast?: number, atMost?: number, unit?: string }} Target
 * @typedef {ReturnType<typeof row>} Row of the table
 * @param {string} what @param {Target} target
 * @param {readonly number[]} values one per run
 * @param {Record<string, readonly number[]>} sides what was measured, in the unit of its name
 */
export function row(what, target, values, sides) {
  const summaries = Object.entries(sides).map(([name, measured]) => [name, summary(measured)]);
  return { what, target, value: summary(values), sides: Object.fromEntries(summaries) };
}

/**
 * The first side ÷ the second within each run, so that a busy machine slows both.
 * @param {string} what @param {Target} target @param {Record<string, readonly number[]>} sides two of them
 */
export function ratioRow(what, target, sides) {
  const [above, below] = Object.values(sides);
  const ratios = above.map((value, run) => value / below[run]);
  return row(what, target, ratios, sides);
}

/** A table for a terminal, which is also Markdown. @param {readonly Row[]} rows */
export const table = (rows) =>
  columnsOf(rows, [
    ['what', ({ what }) => what],
    ['target', ({ target }) => targetText(target)],
    ['median', ({ target: { unit }, value }) => `${figure(value.median)}${unit ? ` ${unit}` : ''}`],
    ['min to max', ({ value: { min, max } }) => `${figure(min)} to ${figure(max)}`],
    ['sides (median)', ({ sides }) => Object.entries(sides).map(sideText).join(', ')],
    ['', ({ target, value }) => (holds(target, value.median) ? '' : 'short')],
  ]);

/** @param {[name: string, summary: { median: number }]} side */
const sideText = ([name, { median }]) => `${name} ${figure(median)}`;

/** @param {Target} target @param {number} value */
export const holds = ({ atLeast = -Infinity, atMost = Infinity }, value) => value >= atLeast && value <= atMost;

/** @param {Target} target */
function targetText({ atLeast, atMost, unit }) {
  if (atLeast !== undefined) return `≥ ${atLeast}`;
  return atMost === undefined ? '' : `≤ ${atMost}${unit ? ` ${unit}` : ''}`;
}

/** @param {number} value */
const figure = (value) => (value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2));
