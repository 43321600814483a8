// `npm run mutate`: makes many small changes to the domain and the application (Stryker) and reports which changes no
// test notices. `npm run mutate -- domain validate-key` does so for some parts. Not part of `npm test`, because it
// takes long. With --check it only reports files without a spec.
import './lib/node-version.mjs';
import { readdirSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { root } from './lib/paths.mjs';
import { step } from './lib/run.mjs';
import { main, Stop } from './lib/stop.mjs';

const folders = ['domain', 'application'];
/**
 * The specs that must notice changes to a file, by name. Without an entry, it is the spec of the same name, or of
 * `together`. Running all specs for every change would take half a day, and a rule should be tested where a reader looks
 * for the test.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const specsOf = {
  'access-level': ['verdict', 'key-standing'],
  'account-profile': ['account', 'account-profile'],
  'account-transaction': ['change-account', 'revoke-keys'],
  account: ['account', 'account-change'],
  'api-key': ['api-key', 'rotation'],
  'audit-trail-ports': ['prune-audit-events', 'verify-audit-trail'],
  'change-keys': ['change-keys', 'create-api-key', 'keys-of-owner', 'rotate-api-key', 'record-due-ends'],
  confirmation: ['identity', 'create-api-key', 'rotate-api-key'],
  'finish-platform-sign-in': ['platform-sign-in'],
  'find-accounts': ['accounts', 'change-account'],
  'change-account': ['change-account', 'accounts'],
  'key-change': ['rotation'],
  'make-api-keys': ['create-api-key', 'rotate-api-key'],
  'key-rights': ['key-standing'],
  'key-history': ['usage', 'values'],
  'keys-of-owner': ['keys-of-owner', 'record-due-ends'],
  lists: ['accounts', 'keys-of-owner', 'list-all-keys'],
  'notices-of-change': ['notices'],
  'owner-keys': ['owner-keys', 'rotation'],
  'password-check': ['sign-in'],
  'pause-as-administrator': ['change-keys'],
  'prune-audit-events': ['prune-audit-events', 'verify-audit-trail'],
  'record-due-ends': ['record-due-ends', 'rotate-api-key'],
  'event-details': ['event-details', 'recorded-key', 'recorded-account'],
  'sign-in': ['sign-in', 'platform-sign-in'],
  'shown-keys': ['keys-of-owner', 'list-all-keys'],
  time: ['values', 'api-key', 'signing-in'],
  'verify-audit-trail': ['verify-audit-trail', 'prune-audit-events'],
};
/**
 * Specs that test the files of their folder that have no spec of their own.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const together = {
  'account-change': ['former-account'],
  'account-profile': ['account-attributes', 'account-limits'],
  accounts: ['purge-account'],
  administrators: ['view-keys'],
  'api-key': ['key-pauses', 'key-status'],
  'change-keys': ['pause-keys'],
  changes: ['change-waits', 'with-transactions'],
  identity: ['confirmation', 'identify-owner'],
  'import-keys': ['keys-from-code'],
  'imported-key': ['key-import'],
  'key-restrictions': ['allowed-networks', 'narrowing'],
  'key-rules': ['key-policy'],
  'key-string': ['credential'],
  'leaked-keys': ['end-reported-keys', 'report-leaked-keys'],
  leases: ['report-uses'],
  notices: ['due-notices', 'key-notice'],
  'prune-audit-events': ['list-audit-events'],
  'recorded-key': ['recorded-rotation'],
  'revoke-keys': ['revoke-for-owner', 'revoke-idle-keys'],
  'signing-in': ['passwords', 'session'],
  usage: ['key-history', 'key-networks', 'narrower', 'permission-use'],
  values: ['errors', 'names', 'once-per-list', 'time'],
  verdict: ['access', 'lease'],
  'verify-audit-trail': ['compare-with-audit-trail'],
};
/** Excluded files: they contain only types, or words and numbers that no computation uses. */
const unmutable = [
  'audit-event',
  'examination',
  'key-ports',
  'key-state',
  'notice-ports',
  'ports',
  'sign-in-ports',
  'validation-ports',
];

await main(async () => {
  const wanted = process.argv.slice(2).filter((word) => word !== '--check');
  const parts = folders.flatMap((folder) => [...partsOf(folder, wanted)]);
  if (parts.length === 0) throw new Stop(`Nothing is named ${wanted.join(' or ')}.`);
  if (process.argv.includes('--check')) return;
  const failed = [];
  for (const [specs, files] of parts) if (!(await mutate(files, specs.split(' ')))) failed.push(...files);
  if (failed.length > 0) throw new Stop(`Too many changes of these files go unnoticed: ${failed.join(', ')}.`);
});

/**
 * @param {string} folder
 * @param {readonly string[]} wanted names of the folder, of files or of specs; none means all
 * @returns {Map<string, string[]>} specs, separated by spaces → the files whose changes they have to notice
 * @throws {Stop} a file has no spec, so that a new file cannot be left out unnoticed
 */
function partsOf(folder, wanted) {
  const all = readdirSync(join(root, 'src', folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => `src/${folder}/${path.replaceAll(sep, '/')}`);
  const nameOf = (/** @type {string} */ path) => basename(path).replace(/(\.spec)?\.ts$/, '');
  const specs = new Map(all.filter((path) => path.endsWith('.spec.ts')).map((path) => [nameOf(path), path]));
  /** @type {Map<string, string[]>} */
  const parts = new Map();
  for (const file of all) {
    const name = nameOf(file);
    if (file.endsWith('.spec.ts') || unmutable.includes(name)) continue;
    const names = specsOf[name] ?? [testedIn(name)];
    const paths = names.map((each) => specs.get(each));
    if (paths.includes(undefined)) throw new Stop(`${file} has no spec next to it: name one in scripts/mutate.mjs.`);
    if (wanted.length > 0 && ![folder, name, ...names].some((each) => wanted.includes(each))) continue;
    parts.set(paths.join(' '), [...(parts.get(paths.join(' ')) ?? []), file]);
  }
  return parts;
}

/** @param {string} name */
function testedIn(name) {
  return Object.keys(together).find((spec) => together[spec]?.includes(name)) ?? name;
}

/**
 * @param {readonly string[]} files
 * @param {readonly string[]} specs
 * @returns {Promise<boolean>} whether the specs notice as many changes as stryker.config.json wants; Stryker prints the rest
 */
async function mutate(files, specs) {
  const stryker = 'node_modules/@stryker-mutator/core/bin/stryker.js';
  const env = { ...process.env, MUTATION_SPECS: specs.join(',') };
  return (await step(stryker, ['run', '--mutate', files.join(',')], { env }).code) === 0;
}
