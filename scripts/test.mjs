// `npm test`: installs what the suites need, then runs the check and every suite. Arguments go to Jest: `npm test --
// test/running`, `npm test -- -t 'never stale'`. With --long (`npm run test:long`): the long form of the faults and
// attacks, with their figures.
import './lib/node-version.mjs';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './lib/paths.mjs';
import { step } from './lib/run.mjs';

const isLong = process.argv.includes('--long');
const named = process.argv.slice(2).filter((argument) => argument !== '--long');
const jestArgs = isLong && named.length === 0 ? ['test/faults', 'test/attacks'] : named;
const everything = jestArgs.length === 0;

/** Without these steps the suites cannot run. A step that fails prints the reason. */
for (const script of ['scripts/install.mjs', 'scripts/tools.mjs', 'scripts/build.mjs']) {
  if ((await step(script).code) !== 0) close({ passed: 0, failed: 1 });
}

// A failed check fails the run, but the suites still run.
const checked = everything ? (await step('scripts/check.mjs').code) === 0 : true;
const suites = await runJest();
close({ ...suites, failed: suites.failed + (checked ? 0 : 1) });

async function runJest() {
  const temp = mkdtempSync(join(tmpdir(), 'latchkey-results-'));
  const file = join(temp, 'jest.json');
  // The last flag as for the service: suites that measure memory run after others in the same process.
  const flags = ['--experimental-vm-modules', '--no-warnings', '--no-allocation-site-pretenuring'];
  const jest = join(root, 'node_modules/jest/bin/jest.js');
  const words = [...flags, jest, '--json', `--outputFile=${file}`, ...(everything ? ['--coverage'] : []), ...jestArgs];
  const env = { ...process.env, ...(isLong ? { LATCHKEY_LONG: '1' } : {}) };
  const child = spawn(process.execPath, words, { cwd: root, env, stdio: 'inherit' });
  const code = await new Promise((resolve) => child.once('error', () => resolve(1)).once('exit', resolve));
  const result = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  rmSync(temp, { recursive: true, force: true });
  // A suite that could not be loaded has failed. So has a skipped test in a full run: no test is skipped silently.
  const leftOut = everything ? (result.numPendingTests ?? 0) + (result.numTodoTests ?? 0) : 0;
  if (leftOut > 0) console.error(`${leftOut} tests were skipped: in a full run that is a failure.`);
  const failed = (result.numFailedTests ?? 0) + (result.numRuntimeErrorTestSuites ?? 0) + leftOut;
  // Jest can fail without a failed test: too little is covered, or it was stopped.
  return { passed: result.numPassedTests ?? 0, failed: failed === 0 && code !== 0 ? 1 : failed };
}

/**
 * CI reads the very last line.
 * @param {{ passed: number, failed: number }} count
 * @returns {never}
 */
function close({ passed, failed }) {
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}
