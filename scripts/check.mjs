// `npm run check`: every check of the code except its tests. Prints one line for each part.
import { join } from 'node:path';
import { isMain, root } from './lib/paths.mjs';
import { run, step } from './lib/run.mjs';
import { main, Stop } from './lib/stop.mjs';

/** Each part is a script run by node. @type {Readonly<Record<string, readonly [string, ...string[]]>>} */
const parts = {
  format: ['node_modules/oxfmt/bin/oxfmt', '--check'],
  'types of web': ['node_modules/typescript/bin/tsc', '-p', 'web/tsconfig.json'],
  'proto lint': ['node_modules/@bufbuild/buf/bin/buf', 'lint', 'proto'],
  // proto-baseline/ is the proto/ of the last release, whose clients must go on working: fields are added, never changed.
  'proto compatibility': ['node_modules/@bufbuild/buf/bin/buf', 'breaking', 'proto', '--against', 'proto-baseline'],
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

/** @returns {Promise<string[]>} what failed, each with its name in the first line; everything is installed */
export async function check() {
  /** @type {string[]} */
  const failures = [];
  const pass = async (/** @type {string} */ name, /** @type {readonly string[]} */ [script = '', ...args]) => {
    const { code, output } = await run(process.execPath, [join(root, script), ...args]);
    console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name}`);
    if (code === 0) return true;
    console.log(output.trim().replace(/^/gm, '  '));
    failures.push(`the check failed: ${name}\n${output}`);
    return false;
  };
  // The types that the parts read: those of proto/, and the guard's.
  await step('scripts/build.mjs', ['guard']);
  const built = pass('build', ['scripts/build.mjs']);
  const later = Object.entries(afterBuild).map(async ([name, command]) => (await built) && pass(name, command));
  await Promise.all([...Object.entries(parts).map(([name, command]) => pass(name, command)), built, ...later]);
  return failures;
}

if (isMain(import.meta.url)) {
  await main(async () => {
    await step('scripts/install.mjs', ['--tests']);
    if ((await check()).length > 0) throw new Stop('The check failed.');
  });
}
