import { expect } from '@jest/globals';

/** Set by `npm run test:long`, which repeats more often; `npm test` has only minutes for all suites together. */
export const isLong = process.env['LATCHKEY_LONG'] === '1';

export function shortOrLong<T>(short: T, long: T): T {
  return isLong ? long : short;
}

/** Prints a measurement in one line: in the long form, and with LATCHKEY_FIGURES=1. */
export function tellFigures(fault: string, figures: Readonly<Record<string, number | string>>): void {
  if (!isLong && process.env['LATCHKEY_FIGURES'] !== '1') return;
  const told = Object.entries(figures).map(([name, figure]) => `${name} ${figure}`);
  process.stderr.write(`figures: ${fault}: ${told.join(', ')}\n`);
}

/**
 * A promise about time, held where nothing else is at work: in the long form. What comes before what is for every run to
 * say.
 */
export function expectWithinMs(tookMs: number, promisedMs: number): void {
  if (isLong) expect(tookMs).toBeLessThan(promisedMs);
}
