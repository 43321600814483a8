// `npm run check`: every check of the code except its tests. Prints one line for each part.
import './lib/node-version.mjs';
import { join } from 'node:path';
import { root } from './lib/paths.mjs';
import { report, run, step } from './lib/run.mjs';
import { main, Stop } from './lib/stop.mjs';

/**
 * Each part is a script run by node.
 * @type {Readonly<Record<string, readonly [string, ...string[]]>>}
 */
const parts = {
  format: ['node_modules/oxfmt/bin/oxfmt', '--check'],
  'types of web': ['node_modules/typescript/bin/tsc', '-p', 'web/tsconfig.json'],
  'proto lint': ['node_modules/@bufbuild/buf/bin/buf', 'lint', 'proto'],
  'proto compatibility': ['scripts/proto-baseline.mjs'],
  lockfile: ['scripts/complete-lockfile.mjs', '--check'],
  'upgrades without downtime': ['scripts/expand-contract.mjs'],
  'one version': ['scripts/release/versions.mjs'],
};
/** What reads the built service or the built guard, so it waits for the build. @type {typeof parts} */
const afterBuild = {
  'lint and layers': ['node_modules/oxlint/bin/oxlint', '--deny-warnings'],
  'generated files': ['scripts/generate.mjs', '--check'],
  types: ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'],
  migrations: ['scripts/migrations-drift.mjs'],
};

/** @type {import('./testing/failures.mjs').Failure[]} */
const failures = [];

await main(async () => {
  if ((await step('scripts/install.mjs', ['--tests']).code) !== 0) process.exit(1);
  // The types that the parts read: those of proto/, and the guard's.
  if ((await step('scripts/build.mjs', ['guard']).code) !== 0) process.exit(1);
  const built = check('build', ['scripts/build.mjs']);
  const later = Object.entries(afterBuild).map(async ([name, command]) => (await built) && check(name, command));
  await Promise.all([...Object.entries(parts).map(([name, command]) => check(name, command)), built, ...later]);
  await report({ failures });
  if (failures.length > 0) throw new Stop('The check failed.');
});

/**
 * @param {string} name
 * @param {readonly [string, ...string[]]} command
 */
async function check(name, [script, ...args]) {
  const { code, output } = await run(process.execPath, [join(root, script), ...args]);
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name}`);
  if (code === 0) return true;
  console.log(output.trim().replace(/^/gm, '  '));
  failures.push({ where: `the check failed: ${name}`, text: output });
  return false;
}
