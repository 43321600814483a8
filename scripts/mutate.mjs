// `npm run mutate`: changes the rules of the house in one small way after another (Stryker) and tells which changes no
// test notices. `npm run mutate -- domain validate-key` does so for some parts. Not part of `npm test`: it takes long.
import './lib/node-version.mjs';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import globalSetup from '../test/support/global-setup.mjs';
import globalTeardown from '../test/support/global-teardown.mjs';
import { root } from './lib/paths.mjs';
import { main, Stop } from './lib/stop.mjs';

/**
 * The files of a folder by the spec, or specs, to notice: their own, for all specs at every change would take half a day,
 * and a rule should be held where one looks for it.
 * @type {Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>}
 */
const folders = {
  domain: {
    access: ['access'],
    account: ['account'],
    'api-key': ['api-key'],
    'audit-seal': ['audit-seal', 'audit-mac', 'audit-pruning'],
    errors: ['errors'],
    'key-rules': ['key-rules'],
    'key-string': ['key-string'],
    'password-throttle': ['password-throttle'],
    'rate-limit': ['rate-limit'],
    verdict: ['verdict'],
  },
  application: {
    'put-account': ['put-account'],
    'change-account-status': ['change-account-status', 'get-account'],
    'sign-in': ['sign-in', 'sign-out', 'password-check'],
    'client-network': ['client-network'],
    'identify-owner': ['identify-owner'],
    'create-api-key': ['create-api-key'],
    'revoke-api-key': ['revoke-api-key', 'revocation'],
    'revoke-as-admin': ['revoke-as-admin', 'revoke-leaked-key'],
    'due-expiries': ['due-expiries', 'sweep-expiries', 'list-api-keys', 'audit'],
    'validate-key': ['validate-key'],
    'list-audit-events': ['list-audit-events'],
    'seal-audit-events': ['seal-audit-events'],
    'prune-audit-events verify-audit-trail': ['prune-audit-events', 'verify-audit-trail', 'event-cursor'],
  },
};
/** Nothing but types. */
const unmutable = ['ports', 'page', 'audit-trail'];

const report = join(root, 'reports/mutation.json');
/** What Stryker says of a change. @typedef {'Killed' | 'Timeout' | 'Survived' | 'NoCoverage'} Outcome */

await main(async () => {
  requireEveryFile();
  const { thresholds } = JSON.parse(readFileSync(join(root, 'stryker.config.json'), 'utf8'));
  const wanted = process.argv.slice(2);
  const isWanted = (/** @type {string[]} */ ...names) => wanted.length === 0 || names.some((n) => wanted.includes(n));
  /** @type {Map<string, Outcome[]>} */
  const scores = new Map();
  await globalSetup();
  try {
    for (const [folder, parts] of Object.entries(folders)) {
      for (const [names, files] of Object.entries(parts)) {
        const specs = names.split(' ');
        if (!isWanted(folder, ...specs)) continue;
        const outcomes = await mutate(
          files.map((file) => `src/${folder}/${file}.ts`),
          specs.map((name) => `src/${folder}/${name}.spec.ts`),
        );
        scores.set(folder, [...(scores.get(folder) ?? []), ...outcomes]);
      }
    }
  } finally {
    await globalTeardown();
  }
  const worst = Math.min(...[...scores].map(([folder, outcomes]) => tell(folder, outcomes)));
  if (worst < thresholds.break) throw new Stop(`Below ${thresholds.break} %: too many changes go unnoticed.`);
});

/** A new file must not be left out unnoticed. */
function requireEveryFile() {
  for (const [folder, parts] of Object.entries(folders)) {
    const known = [...Object.values(parts).flat(), ...unmutable];
    const there = readdirSync(join(root, 'src', folder)).filter((name) => !name.endsWith('.spec.ts'));
    const forgotten = there.filter((name) => !known.includes(name.replace(/\.ts$/, '')));
    if (forgotten.length > 0) throw new Stop(`scripts/mutate.mjs does not know ${forgotten.join(', ')} yet.`);
  }
}

/**
 * @param {readonly string[]} files
 * @param {readonly string[]} specs
 * @returns {Promise<Outcome[]>} of every change that was tried
 */
async function mutate(files, specs) {
  rmSync(report, { force: true });
  const stryker = join(root, 'node_modules/@stryker-mutator/core/bin/stryker.js');
  const child = spawn(process.execPath, [stryker, 'run', '--mutate', files.join(',')], {
    cwd: root,
    env: { ...process.env, MUTATION_SPECS: specs.join(',') },
    stdio: 'inherit',
  });
  await new Promise((resolve) => child.once('error', resolve).once('exit', resolve));
  if (!existsSync(report)) throw new Stop(`Stryker did not get through ${files.join(', ')}.`);
  /** @type {{ files: Record<string, { mutants: { status: string }[] }> }} */
  const { files: reported } = JSON.parse(readFileSync(report, 'utf8'));
  const tried = ['Killed', 'Timeout', 'Survived', 'NoCoverage'];
  const outcomes = Object.values(reported).flatMap(({ mutants }) => mutants.map(({ status }) => status));
  return /** @type {Outcome[]} */ (outcomes.filter((status) => tried.includes(status)));
}

/**
 * @param {string} folder
 * @param {readonly Outcome[]} outcomes
 */
function tell(folder, outcomes) {
  const count = (/** @type {Outcome} */ one) => outcomes.filter((outcome) => outcome === one).length;
  const [killed, timeout, survived, uncovered] = [
    count('Killed'),
    count('Timeout'),
    count('Survived'),
    count('NoCoverage'),
  ];
  const score = (100 * (killed + timeout)) / outcomes.length;
  console.log(
    `src/${folder}: ${score.toFixed(2)} % noticed: ${killed} killed, ${timeout} timed out, ${survived} survived, ${uncovered} not covered`,
  );
  return score;
}
