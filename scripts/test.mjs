// `npm test`: installs what the suites need, then runs the check and the suites; with CI=true also those that take long.
// Arguments go to Jest: `npm test -- test/launcher`, `npm test -- -t 'never stale'`. With --without browser,doors it leaves
// out the suites in these folders of test/. With --profile it prints where the time went. With --unit (`npm run test:unit`)
// it runs the unit tests alone, which need no program. With --long (`npm run test:long`) it runs the long form of the
// suites, with their figures. With --ci (`.ci/run`) it runs every suite as a CI does, then some of them on another Node.
import './lib/node-version.mjs';
import { check } from './check.mjs';
import { endWithParent, step } from './lib/run.mjs';
import { Stop } from './lib/stop.mjs';
import { choiceFrom } from './testing/choice.mjs';
import { excerptOf, runJest } from './testing/jest.mjs';
import { ensureTools, toolsFor } from './tools.mjs';

/** @typedef {import('./testing/jest.mjs').Count} Count */

/** The oldest version that Latchkey supports, and the one that README.md recommends. */
const [OLDEST, RECOMMENDED] = ['20.19', '24'];
const ON_OTHER_NODE = ['src/domain', 'src/application', 'test/api', 'clients/node', 'test/doors'];

endWithParent();
const args = process.argv.slice(2);
const count = await (args.includes('--ci') ? testAsCi() : test(args)).catch((error) => ({
  passed: 0,
  failures: [error instanceof Stop ? error.message : String(error.stack)],
}));
if (count.failures.length > 0) console.log(`\nWhat failed:\n${excerptOf(count.failures)}\n`);
// CI reads the very last line.
console.log(inWords(count));
process.exit(count.failures.length === 0 ? 0 : 1);

/** @param {Count} count */
function inWords({ passed, failures }) {
  return `${passed} passed, ${failures.length} failed`;
}

/** @param {readonly string[]} given @returns {Promise<Count>} */
async function test(given) {
  const choice = choiceFrom(given, process.env['CI'] === 'true');
  await step('scripts/install.mjs', ['--tests']);
  if (!choice.isUnit) await ensureTools(toolsFor(choice.without, choice.isLong));
  await step('scripts/build.mjs', choice.isUnit ? ['types'] : []);
  // A failed check fails the run, but the suites still run.
  const checked = choice.isFull ? await check() : [];
  const { passed, failures } = await runJest(choice);
  const left = choice.without.map((name) => `test/${name}`).join(', ');
  if (left) console.log(`\nSUITES THAT DID NOT RUN, because of --without: ${left}`);
  if (!choice.isForCi && !choice.isUnit)
    console.log('\nA CI runs more: attacks, races of instances, other proxies, coverage. CI=true runs them here.');
  return { passed, failures: [...checked, ...failures] };
}

/** @returns {Promise<Count>} the sum of the runs on two versions of Node */
async function testAsCi() {
  process.env['CI'] = 'true';
  const here = process.versions.node;
  const other = here.startsWith(`${RECOMMENDED}.`) ? OLDEST : RECOMMENDED;
  console.log(`Every suite on Node ${here}.`);
  const whole = await test([]);
  console.log(`\nOn Node ${other}: ${ON_OTHER_NODE.join(', ')}.`);
  const part = await runJest(choiceFrom(ON_OTHER_NODE, true), other);
  console.log(`\nOn Node ${here}: ${inWords(whole)}. On Node ${other}: ${inWords(part)}.`);
  const onOther = part.failures.map((failure) => `On Node ${other}: ${failure}`);
  return { passed: whole.passed + part.passed, failures: [...whole.failures, ...onOther] };
}
