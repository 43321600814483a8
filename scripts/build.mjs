// Builds what is out of date: the types of proto/, the guard, the service, the settings screen, the reference resource
// service. With names (`node scripts/build.mjs guard panel`) it builds the types and these parts alone; the panel is built
// only by its name.
import { hash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMain, root } from './lib/paths.mjs';
import { endWithParent, succeed } from './lib/run.mjs';
import { main, Stop } from './lib/stop.mjs';

/**
 * What is built, by name. A change in one of the `inputs` means a new build of `out`, by a script and its arguments.
 * @typedef {{ out: string, inputs: readonly string[], command: readonly string[], cwd?: string }} Part
 */

const common = ['package-lock.json', 'tsconfig.json'];
// The guard and the screen contain what they import of the domain.
const guardInputs = [...common, 'proto', 'src/domain', 'clients/node'];
const webInputs = [...common, 'src/domain', 'web'];
const tsc = ['node_modules/typescript/bin/tsc', '-p'];
const vite = ['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn'];

/** @type {Readonly<Record<string, Part>>} */
const parts = {
  types: {
    out: 'src/infrastructure/inbound/grpc/generated',
    inputs: ['package-lock.json', 'proto', 'scripts/generate-types.mjs'],
    command: ['scripts/generate-types.mjs'],
  },
  guard: { out: 'clients/node/dist', inputs: guardInputs, command: [...tsc, 'clients/node/tsconfig.build.json'] },
  service: {
    // The service reads proto/ from the checkout at run time (../proto next to dist), so nothing is copied.
    out: 'dist',
    inputs: [...common, 'proto', 'src', 'tsconfig.build.json'],
    // Does what `nest build` does with nest-cli.json, without the Nest CLI (docs/adr/0006-other-dependencies.md).
    command: [...tsc, 'tsconfig.build.json'],
  },
  web: { out: 'web/dist', inputs: webInputs, command: vite, cwd: 'web' },
  panel: {
    out: 'web/lib/dist',
    inputs: [...webInputs, 'src/infrastructure/inbound/http/management'],
    command: [...vite, '--config', 'vite.lib.config.ts'],
    cwd: 'web',
  },
  'systems-api': {
    out: 'examples/systems-api/dist',
    // Compiled against the guard's declarations.
    inputs: [...guardInputs, 'examples/systems-api'],
    command: [...tsc, 'examples/systems-api/tsconfig.build.json'],
  },
};

/** @param {readonly string[]} names of parts; none means all that a start needs */
async function build(names) {
  // The guard and the service import them.
  await buildPart('types');
  await Promise.all((names.length > 0 ? names : ['guard', 'service', 'web']).map(buildPart));
  if (names.length === 0) await buildPart('systems-api');
}

/** @param {string} name */
async function buildPart(name) {
  const part = parts[name];
  if (!part) throw new Stop(`There is no part ${name}. The parts are ${Object.keys(parts).join(', ')}.`);
  const [note, wanted] = noteOf(part);
  if (existsSync(note) && readFileSync(note, 'utf8') === wanted) return;
  console.log(`Building ${name} …`);
  // The old result is deleted first. If this build is stopped, its output has no note, so it is built again.
  rmSync(join(root, part.out), { recursive: true, force: true });
  const [script = '', ...args] = part.command;
  await succeed(process.execPath, [join(root, script), ...args], {
    // In a run of the tests, NODE_ENV is `test`, and the screen would contain React's development build.
    env: { ...process.env, NODE_ENV: 'production' },
    cwd: join(root, part.cwd ?? '.'),
  });
  writeFileSync(note, wanted);
}

/**
 * The file with the note of a part's inputs, and the text that it must contain for the part to be up to date: a hash over
 * their paths and contents. File times are not used: they are wrong after a git checkout.
 * @type {(part: Part) => [file: string, text: string]}
 */
function noteOf({ out, inputs }) {
  const files = inputs.flatMap(filesUnder).sort();
  const contents = files.map((file) => `${file} ${hash('sha256', readFileSync(join(root, file)))}\n`);
  return [join(root, out, '.built-from'), hash('sha256', contents.join(''))];
}

// What is generated is made from files that are hashed themselves.
const leftOut = /(^|\/)(node_modules|dist|generated|test)$|\.spec\.ts$/;

/** None for a path that is missing. @type {(path: string) => string[]} */
function filesUnder(path) {
  const stat = statSync(join(root, path), { throwIfNoEntry: false });
  if (!stat || leftOut.test(path)) return [];
  if (!stat.isDirectory()) return [path];
  return readdirSync(join(root, path)).flatMap((name) => filesUnder(`${path}/${name}`));
}

export const notesOfAll = () => Object.values(parts).map(noteOf);

if (isMain(import.meta.url)) {
  endWithParent();
  await main(() => build(process.argv.slice(2)));
}
