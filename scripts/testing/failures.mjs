import { stripVTControlCharacters } from 'node:util';

/**
 * @typedef {{ where: string, text?: string }} Failure a suite, or another part of a run, and what failed in it, as Jest or
 *   another program describes it
 * @typedef {{ passed: number, failed: number, failures: readonly Failure[] }} Count
 */

const LONGEST_LINE = 200;

/** @param {Count} count */
export const inWords = ({ passed, failed }) => `${passed} passed, ${failed} failed`;

/**
 * The failures with as many lines of each as fit, for the end of an output of which only the end is kept.
 * @param {readonly Failure[]} failures
 * @param {number} room in characters
 */
export function excerptOf(failures, room) {
  let text = '';
  for (let lines = 15; lines > 0; lines -= 1) {
    text = failures.flatMap((failure) => linesOf(failure, lines)).join('\n');
    if (text.length <= room) return text;
  }
  return `${text.slice(0, room)}\n… and more, which stands above`;
}

/**
 * @param {Failure} failure
 * @param {number} most lines of each failed test; the first one is its name
 */
function linesOf({ where, text = '' }, most) {
  const tests = stripVTControlCharacters(text).split(/^(?= {2}● )/m);
  const lines = tests.flatMap((test) =>
    test
      .split('\n')
      .filter((line) => line.trim() !== '')
      .slice(0, most),
  );
  return [where, ...lines.map((line) => line.slice(0, LONGEST_LINE))];
}
