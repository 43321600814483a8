// Installs the packages that a start needs, if others are installed than package-lock.json names. With --tests also those of
// scripts/testing/package.json, which the tests and the checks need. Imports nothing but Node: it runs first.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf } from './lib/hash.mjs';
import { isMain, root } from './lib/paths.mjs';
import { endWithParent, run } from './lib/run.mjs';
import { main, Stop } from './lib/stop.mjs';

const WITH_TESTS = 'with tests';
const workspacesOfStart = ['clients/node', 'examples/systems-api', 'web'];

/** @param {boolean} withTests */
async function install(withTests) {
  const [file, wanted] = noteOf(root, withTests);
  // npm writes this file last. What is complete is changed in place, because a service may be running from it; `npm ci`
  // would delete it first.
  const complete = join(root, 'node_modules/.package-lock.json');
  const command = existsSync(complete) ? ['install', '--no-save'] : ['ci'];
  console.log(`Installing packages: about ${withTests ? 680 : 380} MB in all, which can take minutes …`);
  for (const written of [file, complete]) rmSync(written, { force: true });
  const which = withTests
    ? []
    : ['--include-workspace-root', ...workspacesOfStart.map((path) => `--workspace=${path}`)];
  // NODE_ENV=production or an `omit` in the user's npm settings must not leave out packages that we need to build and
  // run. No package needs to run a program when it is installed.
  const flags = ['--include=dev', '--include=optional', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { code, output } = await run('npm', [...command, ...flags, ...which], { shell: process.platform === 'win32' });
  if (code !== 0) throw new Stop(`${output.trim()}\nInstalling packages failed: npm says why above.`);
  writeFileSync(file, wanted);
}

/**
 * The note of what is installed, and its text. It includes the platform: in a folder that two machines share, the binaries
 * belong to one of them.
 * @param {string} checkout
 * @param {boolean} withTests
 * @returns {[file: string, text: string]}
 */
export function noteOf(checkout, withTests) {
  const what = `${process.platform}-${process.arch} ${withTests ? WITH_TESTS : 'for a start'}`;
  return [join(checkout, 'node_modules/.latchkey-lock'), `${hashOf(['package-lock.json'], checkout)} ${what}\n`];
}

if (isMain(import.meta.url)) {
  endWithParent();
  const [file, ofStart] = noteOf(root, false);
  const noted = existsSync(file) ? readFileSync(file, 'utf8') : '';
  // What the tests have needed once stays installed.
  const withTests = process.argv.includes('--tests') || noted.includes(WITH_TESTS);
  if (noted !== (withTests ? noteOf(root, true)[1] : ofStart)) await main(() => install(withTests));
}
