// Installs the packages that a start needs, if others are installed than package-lock.json names. With --tests also those of
// scripts/testing/package.json, which the tests and the checks need. Imports nothing but Node: it runs first.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMain, root } from './lib/paths.mjs';
import { endWithParent, succeed } from './lib/run.mjs';
import { main } from './lib/stop.mjs';

const WITH_TESTS = 'with tests';
const workspacesOfStart = ['clients/node', 'examples/systems-api', 'web'];

/**
 * The note of what is installed, and its text. It includes the platform: in a folder that two machines share, the binaries
 * belong to one of them.
 * @type {(withTests: boolean) => [file: string, text: string]}
 */
export function noteOf(withTests) {
  const lockfile = readFileSync(join(root, 'package-lock.json'));
  const lock = createHash('sha256').update(lockfile).digest('hex');
  const what = `${process.platform}-${process.arch} ${withTests ? WITH_TESTS : 'for a start'}`;
  return [join(root, 'node_modules/.latchkey-lock'), `${lock} ${what}\n`];
}

async function install() {
  const [file] = noteOf(false);
  const noted = existsSync(file) ? readFileSync(file, 'utf8') : '';
  // What the tests have needed once stays installed.
  const withTests = process.argv.includes('--tests') || noted.includes(WITH_TESTS);
  const [, wanted] = noteOf(withTests);
  if (noted === wanted) return;
  // npm writes this file last. What is complete is changed in place, because a service may be running from it; `npm ci`
  // would delete it first.
  const complete = join(root, 'node_modules/.package-lock.json');
  const command = existsSync(complete) ? ['install', '--no-save'] : ['ci'];
  console.log(`Installing packages: about ${withTests ? 680 : 380} MB in all, which can take minutes …`);
  for (const written of [file, complete]) rmSync(written, { force: true });
  const workspaces = ['--include-workspace-root', ...workspacesOfStart.map((path) => `--workspace=${path}`)];
  // NODE_ENV=production or an `omit` in the user's npm settings must not leave out packages that we need to build and
  // run. No package needs to run a program when it is installed.
  const flags = ['--include=dev', '--include=optional', '--ignore-scripts', '--no-audit', '--no-fund'];
  await succeed('npm', [...command, ...flags, ...(withTests ? [] : workspaces)]);
  writeFileSync(file, wanted);
}

if (isMain(import.meta.url)) {
  endWithParent();
  await main(install);
}
