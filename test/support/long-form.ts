/** `npm run test:long` repeats more often and goes further; `npm test` has minutes for all suites together. */
export const isLong = process.env['LATCHKEY_LONG'] === '1';

export function shortOrLong<T>(short: T, long: T): T {
  return isLong ? long : short;
}

/** What was measured, in one line: in the long form, and wherever LATCHKEY_FIGURES=1 asks for it. */
export function tellFigures(fault: string, figures: Readonly<Record<string, number | string>>): void {
  if (!isLong && process.env['LATCHKEY_FIGURES'] !== '1') return;
  const told = Object.entries(figures).map(([name, figure]) => `${name} ${figure}`);
  process.stderr.write(`figures: ${fault}: ${told.join(', ')}\n`);
}

/** What the longest attacks may take; without it Jest would give up after half a minute. */
export const PATIENCE_MS = 600_000;
