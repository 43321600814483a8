// `npm test`: installs what the suites need, then runs the check and the suites; with CI=true also those that take long.
// Arguments go to Jest: `npm test -- test/launcher`, `npm test -- -t 'never stale'`. With --without browser,doors it leaves
// out the suites in these folders of test/. With --profile it prints where the time went. With --unit (`npm run test:unit`)
// it runs the unit tests alone, which need no program. With --long (`npm run test:long`) it runs the long form of the
// suites, with their figures.
import './lib/node-version.mjs';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWithParent, report, step } from './lib/run.mjs';
import { Stop } from './lib/stop.mjs';
import { choiceFrom } from './testing/choice.mjs';
import { excerptOf, inWords } from './testing/failures.mjs';
import { ensureTools, toolsFor } from './tools.mjs';

/** @typedef {import('./testing/failures.mjs').Count} Count */

endWithParent();
/** @type {Count} */
let count = { passed: 0, failed: 1, failures: [] };
try {
  count = await test(choiceFrom(process.argv.slice(2), process.env));
} catch (error) {
  // Printed to stdout, like the last line, so that it comes before that line.
  console.log(error instanceof Stop ? error.message : error);
  count.failures = [{ where: String(error) }];
}
// CI reads the very last line.
console.log(inWords(count));
await report(count);
process.exit(count.failed === 0 ? 0 : 1);

/**
 * @param {import('./testing/choice.mjs').Choice} choice
 * @returns {Promise<Count>}
 */
async function test(choice) {
  const steps = choice.isUnit ? 3 : choice.isFull ? 5 : 4;
  let begun = 0;
  const begin = (/** @type {string} */ what) => console.log(`Step ${(begun += 1)} of ${steps}: ${what}`);
  begin('the packages of package-lock.json');
  await must('scripts/install.mjs', ['--tests']);
  if (!choice.isUnit) {
    begin('the programs that the suites need beyond npm');
    await ensureTools(toolsFor(choice.without, choice.isLong));
  }
  begin('the build');
  await must('scripts/build.mjs', choice.isUnit ? ['types'] : []);
  // A failed check fails the run, but the suites still run.
  /** @type {import('./testing/failures.mjs').Failure[]} */
  const failures = [];
  if (choice.isFull) {
    begin('the check');
    const check = step('scripts/check.mjs');
    const message = /** @type {{ failures: typeof failures } | undefined} */ (await check.message);
    if ((await check.code) !== 0) failures.push(...(message?.failures ?? [{ where: 'the check failed' }]));
  }
  const isChecked = failures.length === 0;
  begin('the suites');
  const { result, code } = await runJest(choice);
  printLongest(result.suites);
  const failedSuites = result.suites.filter((suite) => suite.failure);
  failures.push(...failedSuites.map(({ path, failure }) => ({ where: `FAILED ${path}`, text: failure })));
  // No test is skipped silently.
  const skipped = choice.isFull ? result.skipped : [];
  failures.push(...skipped.map((name) => ({ where: `skipped: ${name}` })));
  const failed = result.failed + skipped.length + (isChecked ? 0 : 1);
  // Jest can fail without a failed test.
  if (failed === 0 && code !== 0) {
    const isLow = result.passed > 0;
    failures.push({
      where: isLow ? 'coverage too low: jest.config.js says what is wanted' : `Jest ended with ${code}`,
    });
  }
  if (failures.length > 0) console.log(`\n${excerptOf(failures, 8000)}`);
  const left = choice.without.map((name) => `test/${name}`).join(', ');
  if (left) console.log(`\nSUITES THAT DID NOT RUN, because of --without: ${left}`);
  if (!choice.isForCi && !choice.isUnit)
    console.log('\nA CI runs more: attacks, races of instances, other proxies, coverage. CI=true runs them here.');
  return { passed: result.passed, failed: failed || failures.length, failures };
}

/** @param {import('./testing/progress.mjs').JestResult['suites']} suites */
function printLongest(suites) {
  console.log('\nThe longest suites:');
  const slow = [...suites].sort((one, other) => other.seconds - one.seconds).slice(0, 10);
  for (const { path, seconds } of slow) console.log(`${seconds.toFixed(1).padStart(7)} s  ${path}`);
}

/**
 * Without this step the suites cannot run. The step itself has printed why.
 * @param {string} script
 * @param {readonly string[]} [args]
 * @throws {Stop}
 */
async function must(script, args = []) {
  if ((await step(script, args).code) !== 0) throw new Stop(`Without ${script} no suite can run.`);
}

/** @param {import('./testing/choice.mjs').Choice} choice */
async function runJest({ isLong, isProfiled, leftOut, jestArgs }) {
  // The last flag is the service's: suites that measure memory run after others in the same process.
  const flags = ['--experimental-vm-modules', '--no-warnings', '--no-allocation-site-pretenuring'];
  const profile = isProfiled ? { LATCHKEY_TEST_PROFILE: join(mkdtempSync(join(tmpdir(), 'profile-')), 'suites') } : {};
  const left = { LATCHKEY_TESTS_LEFT_OUT: JSON.stringify(leftOut) };
  const env = { ...process.env, ...(isLong ? { LATCHKEY_LONG: '1' } : {}), ...left, ...profile };
  const reporters = ['progress', ...(isProfiled ? ['profile'] : [])];
  const args = [...jestArgs, ...reporters.map((name) => `--reporters=<rootDir>/scripts/testing/${name}.mjs`)];
  const jest = step('node_modules/jest/bin/jest.js', args, { flags, env, stdin: 'inherit' });
  /** @type {import('./testing/progress.mjs').JestResult} */
  const nothing = { passed: 0, failed: 0, skipped: [], suites: [] };
  const result = /** @type {typeof nothing | undefined} */ (await jest.message) ?? nothing;
  return { result, code: await jest.code };
}
