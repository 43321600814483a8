import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
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

/**
 * @typedef {object} Choice which suites a run is for
 * @property {boolean} isLong
 * @property {boolean} isProfiled
 * @property {boolean} isUnit the unit tests alone
 * @property {readonly string[]} without the folders of test/ that are left out
 * @property {readonly string[]} leftOut patterns of how the paths of all suites begin that are left out, for jest.config.js
 * @property {boolean} isForCi whether the suites run too that `npm test` leaves to a CI
 * @property {boolean} isFull every suite but those left out, with the check; with CI=true also with the coverage
 * @property {readonly string[]} jestArgs
 */

/**
 * @param {readonly string[]} args as given to `npm test --`; those that are not ours are Jest's
 * @param {NodeJS.ProcessEnv} env
 * @returns {Choice}
 * @throws {Stop}
 */
export function choiceFrom(args, env) {
  const { isLong, isProfiled, isUnit, without, named } = sorted(args);
  const isCi = env['CI'] === 'true';
  if (without.length > 0 && isCi) throw new Stop('With CI=true every suite runs: --without is refused.');
  const unknown = without.find((name) => name === '' || !existsSync(join(root, 'test', name)));
  if (unknown !== undefined)
    throw new Stop(`--without does not know "${unknown}". It takes folders of test/, by commas.`);
  const isFull = !isLong && !isUnit && named.length === 0;
  const chosen = isLong && named.length === 0 ? long : named;
  const hasPath = named.some((arg) => !arg.startsWith('--selectProjects='));
  const isForCi = isCi || isLong || hasPath;
  const leftOut = [...without.map((name) => `test/${name}/`), ...(isForCi ? [] : ofCi)];
  // Options come last, because Jest takes a path after an option for another value of it.
  const options = [...(isUnit ? ['--selectProjects=unit'] : []), ...(isFull && isCi ? ['--coverage'] : [])];
  return { isLong, isProfiled, isUnit, without, leftOut, isForCi, isFull, jestArgs: [...chosen, ...options] };
}

/**
 * @param {string} group a folder of test/
 * @returns {number} how many suites `npm test` runs there
 */
export function countSuites(group) {
  const files = readdirSync(join(root, 'test', group), { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('.spec.ts') && !file.endsWith('.long.spec.ts')).length;
}

/** @param {readonly string[]} args */
function sorted(args) {
  const given = { isLong: false, isProfiled: false, isUnit: false, without: noNames(), named: noNames() };
  const rest = [...args];
  for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
    if (next === '--long') given.isLong = true;
    else if (next === '--unit') given.isUnit = true;
    else if (next === '--profile') given.isProfiled = true;
    else if (next === '--without') given.without.push(...names(rest.shift()));
    else if (next.startsWith('--without=')) given.without.push(...names(next.slice('--without='.length)));
    else given.named.push(next);
  }
  return given;
}

/** @param {string | undefined} list */
const names = (list = '') => list.split(',').map((name) => name.trim());

const noNames = () => /** @type {string[]} */ ([]);
