import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { root } from '../lib/paths.mjs';

/** @typedef {Pick<import('@jest/test-result').FormattedTestResults, 'testResults' | 'numPassedTests'>} Results */

/**
 * Runs Jest.
 * @param {import('../test.mjs').Choice} choice
 * @returns how many tests passed, and what failed
 */
export async function runJest({ isProfiled, isFull, isForCi, without, jestArgs }) {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-results-'));
  const [results, profile] = [join(folder, 'results.json'), join(folder, 'profile')];
  const env = {
    ...process.env,
    LATCHKEY_TESTS_WITHOUT: String(without),
    LATCHKEY_TESTS_OF_CI: isForCi ? 'on' : 'off',
    LATCHKEY_TEST_PROFILE: isProfiled ? profile : '',
  };
  // The last flag is the service's: suites that measure memory run after others in the same process.
  const flags = ['--experimental-vm-modules', '--no-warnings', '--no-allocation-site-pretenuring'];
  const args = [...flags, 'node_modules/jest/bin/jest.js', ...jestArgs, '--json', `--outputFile=${results}`];
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit' });
  process.once('exit', () => child.kill());
  const [code] = await once(child, 'exit');
  /** @type {Results | undefined} */
  const found = existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : undefined;
  if (found && isProfiled) printProfile(found, profile);
  rmSync(folder, { recursive: true });
  const failures = found ? failuresIn(found, isFull) : [];
  // Jest can fail without a failed test.
  if (failures.length === 0 && code !== 0)
    failures.push(`Jest ended with ${code}: it says why, or coverage is too low.`);
  return { passed: found?.numPassedTests ?? 0, failures };
}

/** The names; Jest prints the rest. @param {Results} results @param {boolean} isFull no test is skipped silently */
function failuresIn({ testResults }, isFull) {
  return testResults.flatMap(({ name, status, assertionResults }) => {
    const path = relative(root, name);
    const bad = assertionResults.filter((test) => test.status === 'failed' || (isFull && test.status !== 'passed'));
    const isUnloaded = status === 'failed' && bad.length === 0;
    return isUnloaded
      ? [`${path} could not be loaded`]
      : bad.map((test) => `${test.status}: ${path} › ${test.fullName}`);
  });
}

/**
 * Prints where the time of the longest suites went, in milliseconds.
 * @param {Results} results
 * @param {string} profile a file with a line for each suite, by test/support/jest/environment.mjs; a suite with a page writes none
 */
function printProfile({ testResults }, profile) {
  const inWhole = (/** @type {string} */ _, /** @type {any} */ value) => (Number(value) ? Math.round(value) : value);
  const lines = existsSync(profile) ? readFileSync(profile, 'utf8').trimEnd().split('\n') : [];
  const spent = lines.map((line) => JSON.parse(line, inWhole));
  const suites = testResults.map(({ name, startTime, endTime }) => {
    const { path: _, ...parts } = spent.find(({ path }) => path === name) ?? {};
    return { suite: relative(root, name), wall: endTime - startTime, ...parts };
  });
  console.table(suites.sort((one, other) => other.wall - one.wall).slice(0, 30));
}
