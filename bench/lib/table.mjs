import { markdown } from './markdown.mjs';

/**
 * @param {readonly import('../rows/row.mjs').Row[]} rows
 * @returns {string} a table for a terminal, which is also Markdown
 */
export function table(rows) {
  const lines = rows.map(({ what, target, value, sides }) => [
    what,
    targetText(target),
    `${figure(value.median)}${target.unit ? ` ${target.unit}` : ''}`,
    `${figure(value.min)} to ${figure(value.max)}`,
    Object.entries(sides)
      .map(([name, { median }]) => `${name} ${figure(median)}`)
      .join(', '),
    holds(target, value.median) ? '' : 'short',
  ]);
  return markdown(['what', 'target', 'median', 'min to max', 'sides (median)', ''], lines);
}

/** @param {import('../rows/row.mjs').Row['target']} target @param {number} value */
export function holds({ atLeast = -Infinity, atMost = Infinity }, value) {
  return value >= atLeast && value <= atMost;
}

/** @param {import('../rows/row.mjs').Row['target']} target */
function targetText({ atLeast, atMost, unit }) {
  if (atLeast !== undefined) return `≥ ${atLeast}`;
  return atMost === undefined ? '' : `≤ ${atMost}${unit ? ` ${unit}` : ''}`;
}

/** @param {number} value */
function figure(value) {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(2);
}
