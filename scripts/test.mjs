// `npm test`: installs what the suites need, then runs the check and the suites; with CI=true also those that take long.
// Arguments go to Jest: `npm test -- test/launcher`, `npm test -- -t 'never stale'`. With --without browser,doors it leaves
// out the suites in these folders of test/. With --profile it prints where the time went. With --selectProjects=unit
// (`npm run test:unit`) it runs the unit tests alone, which need no program. With LATCHKEY_LONG=1 (`npm run test:long`) it
// runs the long form of the suites, with their figures.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { check } from './check.mjs';
import { root } from './lib/paths.mjs';
import { step } from './lib/run.mjs';
import { Stop } from './lib/stop.mjs';
import { runJest } from './testing/jest.mjs';
import { ensureTools, toolsFor } from './tools.mjs';

/** What `npm run test:long` adds to the suites of `npm test`: test/support/jest/long-form.ts says what belongs there. */
const long = ['test/faults', 'test/failover', 'test/attacks', '\\.long\\.spec\\.ts$'];
const isLong = process.env['LATCHKEY_LONG'] === '1';
const isCi = process.env['CI'] === 'true';

const { passed, failures } = await test(process.argv.slice(2)).catch((error) => ({
  passed: 0,
  failures: [error instanceof Stop ? error.message : String(error.stack)],
}));
if (failures.length > 0) console.log(`\nWhat failed:\n${failures.join('\n')}\n`);
// CI reads the very last line.
console.log(`${passed} passed, ${failures.length} failed`);
process.exit(failures.length === 0 ? 0 : 1);

/** @param {readonly string[]} given */
async function test(given) {
  const choice = choiceFrom(given);
  await step('scripts/install.mjs', ['--tests']);
  if (!choice.isUnit) await ensureTools(toolsFor(choice.without, isLong));
  await step('scripts/build.mjs', choice.isUnit ? ['types'] : []);
  // A failed check fails the run, but the suites still run.
  const checked = choice.isFull ? await check() : [];
  const count = await runJest(choice);
  const left = choice.without.map((name) => `test/${name}`).join(', ');
  if (left) console.log(`\nSUITES THAT DID NOT RUN, because of --without: ${left}`);
  if (!choice.isForCi && !choice.isUnit)
    console.log('\nA CI runs more: attacks, races of instances, other proxies. CI=true runs them here.');
  return { passed: count.passed, failures: [...checked, ...count.failures] };
}

/** @typedef {ReturnType<typeof choiceFrom>} Choice */

/**
 * Which suites a run is for.
 * @param {readonly string[]} args as given to `npm test --`; those that are not ours are Jest's
 * @throws {Stop}
 */
function choiceFrom(args) {
  const options = /** @type {const} */ ({ profile: { type: 'boolean' }, without: { type: 'string', multiple: true } });
  const { values, tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const ours = tokens.flatMap((token) => {
    if (token.kind !== 'option' || !(token.name in options)) return [];
    return token.inlineValue === false ? [token.index, token.index + 1] : [token.index];
  });
  const jestArgs = args.filter((_, index) => !ours.includes(index));
  const projects = jestArgs.filter((arg) => arg.startsWith('--selectProjects='));
  const named = jestArgs.filter((arg) => !projects.includes(arg));
  /** The folders of test/ that are left out. */
  const without = (values.without ?? []).flatMap((list) => String(list).split(','));
  if (without.length > 0 && isCi) throw new Stop('With CI=true every suite runs: --without is refused.');
  const unknown = without.find((name) => name === '' || !existsSync(join(root, 'test', name)));
  if (unknown !== undefined)
    throw new Stop(`--without does not know "${unknown}". It takes folders of test/, by commas.`);
  const isUnit = projects.includes('--selectProjects=unit');
  /** Every suite but those left out, with the check. */
  const isFull = !isLong && jestArgs.length === 0;
  /** Whether the suites run too that `npm test` leaves to a CI. */
  const isForCi = isCi || isLong || named.length > 0;
  const first = isLong && named.length === 0 ? long : named;
  return { isUnit, isProfiled: Boolean(values.profile), without, isForCi, isFull, jestArgs: [...first, ...projects] };
}
