import { relative } from 'node:path';
import { root } from '../lib/paths.mjs';
import { report } from '../lib/run.mjs';

/**
 * @typedef {object} SuiteResult
 * @property {string} path
 * @property {number} seconds
 * @property {string} failure what failed in it, as Jest describes it; otherwise empty
 *
 * @typedef {object} JestResult
 * @property {number} passed
 * @property {number} failed tests that failed, and suites that could not be loaded
 * @property {readonly string[]} skipped names of tests that were skipped or are still to be written
 * @property {readonly SuiteResult[]} suites
 */

/** How Jest reports in `npm test`: a line when a suite ends, and its failures at once. Plain text, fit for CI logs. */
export default class Progress {
  /** @type {SuiteResult[]} */
  suites = [];
  /** @type {string[]} */
  skipped = [];
  total = 0;

  /** @param {import('@jest/reporters').AggregatedResult} results */
  onRunStart({ numTotalTestSuites }) {
    this.suites = [];
    this.skipped = [];
    this.total = numTotalTestSuites;
  }

  /**
   * @param {import('@jest/reporters').Test} test
   * @param {import('@jest/reporters').TestResult} result
   */
  onTestFileResult(test, { failureMessage, perfStats, testResults, console: logged }) {
    const path = relative(root, test.path);
    // A suite that could not be loaded has no times.
    const seconds = Math.max(0, perfStats.end - perfStats.start || 0) / 1000;
    const failure = failureMessage?.trimEnd() ?? '';
    this.suites.push({ path, seconds, failure });
    const left = testResults.filter(({ status }) => ['pending', 'skipped', 'todo', 'disabled'].includes(status));
    this.skipped.push(...left.map(({ fullName }) => `${path}: ${fullName}`));
    const position = String(this.suites.length).padStart(String(this.total).length);
    const time = `${seconds.toFixed(1).padStart(5)} s`;
    console.log(`[${position}/${this.total}] ${time}  ${path}${failure ? '  FAILED' : ''}`);
    for (const { message } of logged ?? []) console.log(message.replace(/^/gm, '  | '));
    if (failure) console.log(failure);
  }

  /**
   * @param {unknown} _
   * @param {import('@jest/reporters').AggregatedResult} results
   */
  async onRunComplete(_, { numPassedTests, numFailedTests, numRuntimeErrorTestSuites }) {
    /** @type {JestResult} */
    const result = {
      passed: numPassedTests,
      failed: numFailedTests + numRuntimeErrorTestSuites,
      skipped: this.skipped,
      suites: this.suites,
    };
    await report(result);
  }
}
