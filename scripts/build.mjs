// Builds what is out of date: the types of proto/, the guard, the service, the settings screen, the reference resource
// service. With names (`node scripts/build.mjs guard panel`) it builds the types and these parts alone; the panel is built
// only by its name.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf } from './lib/hash.mjs';
import { isMain, root } from './lib/paths.mjs';
import { endWithParent, run } from './lib/run.mjs';
import { main, Stop } from './lib/stop.mjs';

/**
 * @typedef {object} Part
 * @property {string} name
 * @property {readonly string[]} inputs the files and folders that the result depends on; a change in one means a new build
 * @property {readonly [string, ...string[]]} outs the folders that it makes; the first holds a note with the hash of the inputs
 * @property {readonly string[]} command a script and its arguments
 * @property {string} cwd
 */

const common = ['package-lock.json', 'tsconfig.json'];
// The guard and the screen contain what they import of the domain.
const guardInputs = [
  'proto',
  'src/domain',
  'clients/node/src',
  'clients/node/package.json',
  'clients/node/tsconfig.build.json',
];
const webInputs = ['package-lock.json', 'src/domain', 'web/src', 'web/package.json', 'web/postcss.config.js'];
const tsc = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'];

/** @type {Readonly<Record<'types' | 'guard' | 'service' | 'web' | 'panel' | 'systemsApi', Part>>} */
const parts = {
  types: {
    name: 'the types of proto/',
    inputs: ['package-lock.json', 'proto', 'scripts/generate-types.mjs'],
    outs: ['src/infrastructure/inbound/grpc/generated'],
    command: ['scripts/generate-types.mjs'],
    cwd: '.',
  },
  guard: {
    name: '@latchkey/guard',
    inputs: [...common, ...guardInputs],
    outs: ['clients/node/dist'],
    command: tsc,
    cwd: 'clients/node',
  },
  service: {
    // The service reads proto/ from the checkout at run time (../proto next to dist), so nothing is copied.
    name: 'latchkey',
    inputs: [...common, 'proto', 'src', 'tsconfig.build.json'],
    outs: ['dist'],
    // Does what `nest build` does with nest-cli.json, without the Nest CLI (docs/adr/0006-other-dependencies.md).
    command: tsc,
    cwd: '.',
  },
  web: {
    name: 'the settings screen',
    inputs: [...webInputs, 'web/index.html', 'web/vite.config.ts', 'web/compressed.ts'],
    outs: ['web/dist'],
    command: ['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn'],
    cwd: 'web',
  },
  panel: {
    name: '@latchkey/panel',
    inputs: [
      ...webInputs,
      'web/vite.lib.config.ts',
      'src/infrastructure/inbound/http/management',
      'web/declarations.ts',
      'web/tsconfig.json',
      'web/tsconfig.lib.json',
    ],
    outs: ['web/lib/dist'],
    command: ['node_modules/vite/bin/vite.js', 'build', '--config', 'vite.lib.config.ts', '--logLevel', 'warn'],
    cwd: 'web',
  },
  systemsApi: {
    name: '@latchkey/systems-api',
    // Compiled against the guard's declarations.
    inputs: [...common, ...guardInputs, 'examples/systems-api/src', 'examples/systems-api/tsconfig.build.json'],
    outs: ['examples/systems-api/dist'],
    command: tsc,
    cwd: 'examples/systems-api',
  },
};

/** @param {readonly string[]} names of parts; none means all that a start needs */
async function build(names) {
  const unknown = names.find((name) => !Object.hasOwn(parts, name));
  if (unknown) throw new Stop(`There is no part ${unknown}. The parts are ${Object.keys(parts).join(', ')}.`);
  // The guard and the service import them.
  await buildPart(parts.types);
  const named = Object.entries(parts).filter(([name]) => names.includes(name));
  if (named.length > 0) return void (await Promise.all(named.map(([, part]) => buildPart(part))));
  await Promise.all([
    buildPart(parts.guard).then(() => buildPart(parts.systemsApi)),
    buildPart(parts.service).then(() => buildPart(parts.web)),
  ]);
}

/** @param {Part} part */
async function buildPart({ name, inputs, outs, command: [script = '', ...args], cwd }) {
  const folders = outs.map((out) => join(root, out));
  const [note, wanted] = noteOf({ outs, inputs }, root);
  if (folders.every((folder) => existsSync(folder)) && noted(note) === wanted) return;
  console.log(`Building ${name} …`);
  // The old result is deleted first. If this build is stopped, its output has no note, so it is built again.
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  const { code, output } = await run(process.execPath, [join(root, script), ...args], {
    // In a run of the tests, NODE_ENV is `test`, and the screen would contain React's development build.
    env: { ...process.env, NODE_ENV: 'production' },
    cwd: join(root, cwd),
  });
  if (code !== 0) throw new Stop(`${output.trim()}\nBuilding ${name} failed.`);
  writeFileSync(note, wanted);
}

/**
 * The file with the note of a part's inputs, and the text that it must contain for the part to be up to date.
 * @param {Pick<Part, 'outs' | 'inputs'>} part
 * @param {string} checkout
 * @returns {[file: string, text: string]}
 */
const noteOf = ({ outs, inputs }, checkout) => [join(checkout, outs[0], '.built-from'), hashOf(inputs, checkout)];

/** @param {string} checkout */
export const notesOf = (checkout) => Object.values(parts).map((part) => noteOf(part, checkout));

/** @param {string} note */
const noted = (note) => (existsSync(note) ? readFileSync(note, 'utf8') : '');

if (isMain(import.meta.url)) {
  endWithParent();
  await main(() => build(process.argv.slice(2)));
}
