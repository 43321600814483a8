import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/lib/paths.mjs';
import { run } from '../../scripts/lib/run.mjs';

/** The files that npm and the builds of the packages read. */
const TAKEN = [
  '.npmrc',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'proto',
  'scripts',
  'src/domain',
  'src/infrastructure/inbound/http/management',
  'clients',
  'examples',
  'web',
];
const BUILT = /(^|\/)(node_modules|dist|generated)$/;

export interface Obtained {
  readonly clone: string;
  readonly tarball: string;
  /** The packages that the page installs along with it. */
  readonly companions: readonly string[];
}

/**
 * Runs the commands of a page that build a package, in a copy of this checkout where nothing is built and whose packages
 * are installed, as next to a running `npm start`. The packages along with the tarball come from a registry: links that
 * the project makes replace them.
 */
export async function obtain(lines: string, folder: string): Promise<Obtained> {
  const [install, pack, use, ...more] = lines.split('\n');
  if (!install || !pack || more.length > 0) throw new Error(`unexpected commands: ${lines}`);
  const clone = join(folder, 'latchkey');
  mkdirSync(clone, { recursive: true });
  for (const name of TAKEN) {
    cpSync(join(root, name), join(clone, name), { recursive: true, filter: (path) => !BUILT.test(path) });
  }
  for (const modules of ['node_modules', 'web/node_modules'].filter((path) => existsSync(join(root, path)))) {
    symlinkSync(join(root, modules), join(clone, modules));
  }
  const [, place, tarball, names] = /^cd (\S+) && npm install \.\/(\S+) (.+)$/.exec(use ?? '') ?? [];
  if (!place || !tarball || !names) throw new Error(`not an installation: ${use}`);
  // Installs nothing, or the running start would lose its packages.
  const { code, output } = await run('bash', ['-ec', `${install}\n${pack}`], { cwd: clone, env: cleanEnvironment() });
  if (output.includes('Installing')) throw new Error(`packages were installed again: ${output}`);
  const packed = join(clone, place, tarball);
  if (code !== 0 || !existsSync(packed)) throw new Error(output);
  return { clone, tarball: packed, companions: names.split(' ') };
}

/** Runs npm's dry run, and returns its warnings and errors, except the one about not being logged in. */
export async function publishDry(clone: string, workspace: string): Promise<string[]> {
  // npm publishes a version between releases only with a tag.
  const args = ['publish', '--dry-run', '--tag', 'between', '--workspace', workspace];
  const { code, output } = await run('npm', args, { cwd: clone, env: cleanEnvironment() });
  const warnings = output.split('\n').filter((line) => /^npm (warn publish|error)/i.test(line));
  const faults = warnings.filter((line) => !line.includes('requires you to be logged in'));
  return code === 0 ? faults : [...faults, `ended with ${code}`];
}

/** The environment without the variables that npm sets for the script that runs the tests. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
}
