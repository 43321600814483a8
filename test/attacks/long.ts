/** `npm run test:long`: the same attacks, driven much further. */
const IS_LONG = process.env['LATCHKEY_LONG'] === '1';

/** How often something is tried: `few` times with every `npm test`, `many` in the long run. */
export function triesOf(few: number, many: number): number {
  return IS_LONG ? many : few;
}

/** What the longest of them may take; without it Jest would give up after half a minute. */
export const PATIENCE_MS = 600_000;
