import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { root } from '../lib/paths.mjs';

const columns = /** @type {const} */ (['wall', 'cpu', 'load', 'setUp', 'tests']);
const longest = 30;

/**
 * Where the time of a suite went, in milliseconds: `wall` until Jest had its result, `cpu` of its process, `load` of its
 * modules, `setUp` in hooks, and `tests`.
 * @typedef {{ path: string, kind: string } & Record<(typeof columns)[number], number>} Spent
 */

/** Prints where the time of the suites went, for `npm test -- --profile`: by kind of tests, and for the longest suites. */
export default class Profile {
  /** @type {Map<string, Spent>} */
  suites = new Map();

  /**
   * @param {import('@jest/reporters').Test} test
   * @param {import('@jest/reporters').TestResult} result
   */
  onTestFileResult({ path, context }, { perfStats }) {
    const kind = context.config.displayName?.name ?? '';
    this.suites.set(path, { path, kind, wall: perfStats.end - perfStats.start, cpu: 0, load: 0, setUp: 0, tests: 0 });
  }

  onRunComplete() {
    // Written by test/support/jest/environment.mjs.
    const lines = readFileSync(process.env['LATCHKEY_TEST_PROFILE'] ?? '', 'utf8')
      .trimEnd()
      .split('\n');
    for (const spent of lines.map((line) => JSON.parse(line))) Object.assign(this.suites.get(spent.path) ?? {}, spent);
    const all = [...this.suites.values()];
    console.log(`\nSeconds:\n${columns.map((column) => column.padStart(8)).join('')}`);
    for (const kind of new Set(all.map((suite) => suite.kind))) {
      const some = all.filter((suite) => suite.kind === kind);
      const sums = columns.map((column) => some.reduce((sum, suite) => sum + suite[column], 0));
      print(sums, `${kind}, ${some.length} suites`);
    }
    for (const suite of all.sort((one, other) => other.wall - one.wall).slice(0, longest)) {
      print(
        columns.map((column) => suite[column]),
        relative(root, suite.path),
      );
    }
  }
}

/**
 * @param {readonly number[]} times in milliseconds
 * @param {string} name
 */
function print(times, name) {
  console.log(`${times.map((time) => (time / 1000).toFixed(1).padStart(8)).join('')}  ${name}`);
}
