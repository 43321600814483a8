import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../lib/paths.mjs';
import { Stop } from '../lib/stop.mjs';

/** What `npm run test:long` adds to the suites of `npm test`: test/support/jest/long-form.ts says what belongs there. */
const long = ['test/faults', 'test/failover', 'test/attacks', '\\.long\\.spec\\.ts$'];

/**
 * The suites that only a CI runs, so that people have an answer within minutes: attacks, races between instances, second
 * servers, further proxies and long tables. Each entry is a pattern of how their paths begin.
 */
const ofCi = [
  'test/api/(account-limits|refused-calls-log)',
  'test/attacks/',
  'test/cli/audit',
  'test/conformance/(credentials|judgement)',
  'test/contracts/redis-',
  'test/deploy/(key-rotation|operations)',
  'test/docs/secret-scanning',
  'test/doors/(?!any-|edges|envoy\\.|forward|keys-nginx|nginx)',
  'test/failover/',
  'test/faults/(?!first-start|kill|postgres\\.)',
  'test/leases/processes/',
  'test/packages/',
  'test/workers/',
  'src/infrastructure/outbound/memory/',
  'src/infrastructure/outbound/postgres/client/(database|standby)\\.',
  'src/infrastructure/outbound/postgres/keys/(instances|locked-keys)',
  'src/infrastructure/outbound/postgres/migrations/migrate\\.',
  'src/infrastructure/outbound/postgres/sign-in/',
  'src/infrastructure/outbound/postgres/transaction/concurrent-',
  'src/infrastructure/outbound/postgres/usage/usage-over-time',
];

const OPTIONS = /** @type {const} */ ({
  long: { type: 'boolean' },
  unit: { type: 'boolean' },
  profile: { type: 'boolean' },
  without: { type: 'string', multiple: true },
});

/** @typedef {ReturnType<typeof choiceFrom>} Choice */

/**
 * Which suites a run is for.
 * @param {readonly string[]} args as given to `npm test --`; those that are not ours are Jest's
 * @param {boolean} isCi
 * @throws {Stop}
 */
export function choiceFrom(args, isCi) {
  const { values, tokens } = parseArgs({ args: [...args], options: OPTIONS, strict: false, tokens: true });
  const ours = tokens.flatMap((token) => {
    if (token.kind !== 'option' || !(token.name in OPTIONS)) return [];
    return token.inlineValue === false ? [token.index, token.index + 1] : [token.index];
  });
  const named = args.filter((_, index) => !ours.includes(index));
  const [isLong, isUnit] = [Boolean(values.long), Boolean(values.unit)];
  /** The folders of test/ that are left out. */
  const without = (values.without ?? []).flatMap((list) => String(list).split(','));
  if (without.length > 0 && isCi) throw new Stop('With CI=true every suite runs: --without is refused.');
  const unknown = without.find((name) => name === '' || !existsSync(join(root, 'test', name)));
  if (unknown !== undefined)
    throw new Stop(`--without does not know "${unknown}". It takes folders of test/, by commas.`);
  /** Every suite but those left out, with the check; with CI=true also with the coverage. */
  const isFull = !isLong && !isUnit && named.length === 0;
  /** Whether the suites run too that `npm test` leaves to a CI. */
  const isForCi = isCi || isLong || named.some((arg) => !arg.startsWith('--selectProjects='));
  /** Patterns of how the paths of all suites begin that are left out, for jest.config.js. */
  const leftOut = [...without.map((name) => `test/${name}/`), ...(isForCi ? [] : ofCi)];
  // Options come last, because Jest takes a path after an option for another value of it.
  const options = [...(isUnit ? ['--selectProjects=unit'] : []), ...(isFull && isCi ? ['--coverage'] : [])];
  const jestArgs = [...(isLong && named.length === 0 ? long : named), ...options];
  return { isLong, isUnit, isProfiled: Boolean(values.profile), without, leftOut, isForCi, isFull, jestArgs };
}
