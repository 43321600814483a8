import { countSuites } from './choice.mjs';

const longest = 10;

/**
 * The end of a run's report, before its very last line.
 * @param {object} run
 * @param {readonly import('./progress.mjs').SuiteResult[]} run.suites
 * @param {readonly string[]} run.skipped
 * @param {readonly string[]} run.installed Debian packages
 * @param {readonly string[]} run.without
 * @param {boolean} run.isChecked
 */
export function printSummary({ suites, skipped, installed, without, isChecked }) {
  for (const { path, failure } of suites.filter((suite) => suite.failure)) {
    console.log(`\nFAILED ${path}\n${failure}`);
  }
  if (skipped.length > 0) printList('Skipped tests, which in a full run are failures', skipped);
  if (!isChecked) console.log('\nThe check failed: its lines are above, before the suites.');
  console.log(`\nInstalled on this machine: ${installed.join(', ') || 'nothing'}`);
  const slow = [...suites].sort((one, other) => other.seconds - one.seconds).slice(0, longest);
  printList(
    'The longest suites',
    slow.map(({ path, seconds }) => `${seconds.toFixed(1).padStart(5)} s  ${path}`),
  );
  if (without.length > 0) {
    const left = without.map((name) => `${countSuites(name)} of test/${name}`);
    console.log(`\nSUITES THAT DID NOT RUN, because of --without: ${left.join(', ')}`);
  }
}

/**
 * @param {string} title
 * @param {readonly string[]} lines
 */
function printList(title, lines) {
  console.log(`\n${title}:`);
  for (const line of lines) console.log(`  ${line}`);
}
