/**
 * A table in the form that this checkout's formatter produces.
 * @param {readonly string[]} head
 * @param {readonly (readonly (string | number)[])[]} rows
 */
export function markdown(head, rows) {
  const lines = rows.map((cells) => cells.map((cell) => (typeof cell === 'number' ? figure(cell) : cell)));
  const widths = head.map((title, n) => Math.max(3, title.length, ...lines.map((line) => line[n]?.length ?? 0)));
  const print = (/** @type {readonly string[]} */ cells) =>
    `| ${cells.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join(' | ')} |`;
  return [print(head), print(widths.map((width) => '-'.repeat(width))), ...lines.map(print)].join('\n');
}

/**
 * A table with a row for each item.
 * @param {readonly any[]} items
 * @param {readonly [title: string, read: (item: any, n: number) => string | number][]} columns
 */
export function columnsOf(items, columns) {
  const rows = items.map((item, n) => columns.map(([, read]) => read(item, n)));
  return markdown(
    columns.map(([title]) => title),
    rows,
  );
}

/** Rounded to two significant digits. @param {number} value */
export function figure(value) {
  if (value >= 100) return Number(value.toPrecision(value >= 1000 ? 3 : 2)).toLocaleString('en');
  return String(Number(value.toPrecision(2)));
}

/** @param {number} value */
export function bytes(value) {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(value) / 3)));
  return `${figure(value / 1000 ** power)} ${units[power]}`;
}
