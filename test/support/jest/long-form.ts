/** Set by `npm run test:long`, which repeats more often. `npm test` has only minutes for all suites together. */
export const isLong = process.env['LATCHKEY_LONG'] === '1';

/** Whether the linters, servers and READMEs of the guards in other languages are tried too: by a CI, and in the long form. */
export const isThorough = isLong || process.env['CI'] === 'true';

export function shortOrLong<T>(short: T, long: T): T {
  return isLong ? long : short;
}

/** Prints a measurement in one line: in the long form, and with LATCHKEY_FIGURES=1. */
export function printFigures(fault: string, figures: Readonly<Record<string, number | string>>): void {
  if (!isLong && process.env['LATCHKEY_FIGURES'] !== '1') return;
  const texts = Object.entries(figures).map(([name, figure]) => `${name} ${figure}`);
  process.stderr.write(`figures: ${fault}: ${texts.join(', ')}\n`);
}
