// `npm run release -- 0.3.0`: everything up to publishing, then prints what to type. It stops at the first fault.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../lib/paths.mjs';
import { run, succeed } from '../lib/run.mjs';
import { main, Stop } from '../lib/stop.mjs';
import { pythonGuard, pythonOfGuard } from '../testing/programs.mjs';
import { currentVersion, isOlder, packages, requireOneVersion, setVersion, unreleased } from './versions.mjs';

/** Where a release puts what it makes. Not in git. */
const packed = join(root, 'release');

await main(async () => {
  const [version = '', option] = process.argv.slice(2);
  // npm publishes anything but three numbers only with a tag of its own.
  if (!/^\d+\.\d+\.\d+$/.test(version) || isOlder(version, currentVersion()) || version === currentVersion())
    throw new Stop(`Name a version of three numbers, newer than ${currentVersion()}: npm run release -- 0.3.0`);
  const { output: changes } = await run('git', ['status', '--porcelain']);
  if (changes !== '') throw new Stop(`The working tree has changes: commit them, or put them aside.\n${changes}`);
  requireOneVersion();
  if (unreleased() === '')
    throw new Stop('CHANGELOG.md has nothing under "## Unreleased": say what users will notice.');
  process.once('exit', (code) => {
    if (code !== 0)
      console.error('Nothing was released. `git restore . && git clean -fd proto-baseline` undoes the changes.');
  });
  setVersion(version);
  await moveBaseline();
  if (option === '--without-tests') console.log('WITHOUT CHECKS AND TESTS: do not publish it.');
  else if (spawnSync('.ci/run', { cwd: root, stdio: 'inherit' }).status !== 0) throw new Stop('.ci/run failed.');
  await pack();
  await listMaterials();
  console.log(`\nLatchkey ${version} is ready. Look at \`git diff\`, then type:\n${commandsFor(version)}`);
});

/** Makes proto/ the contract of the last release, if it works for the clients of the one before. */
async function moveBaseline() {
  const buf = join(root, 'node_modules/@bufbuild/buf/bin/buf');
  await succeed(process.execPath, [buf, 'breaking', 'proto', '--against', 'proto-baseline']);
  rmSync(join(root, 'proto-baseline'), { recursive: true });
  cpSync(join(root, 'proto/latchkey'), join(root, 'proto-baseline/latchkey'), { recursive: true });
}

async function pack() {
  rmSync(packed, { recursive: true, force: true });
  mkdirSync(packed);
  const which = packages.map((name) => `--workspace=${name}`);
  // A package is built by its own script, which a person's npm settings may forbid.
  await npm(['pack', ...which, '--pack-destination', packed, '--ignore-scripts=false']);
  await succeed(await pythonOfGuard(), ['-m', 'pip', 'wheel', '-q', '--no-deps', '-w', packed, pythonGuard]);
  // The modules of the Java guard, as the folder of a Maven repository.
  const to = `-DaltDeploymentRepository=release::file:${join(packed, 'maven')}`;
  await succeed('mvn', ['-q', '-B', '-ntp', 'clean', 'deploy', '-DskipTests', to], { cwd: join(root, 'clients/java') });
}

/**
 * What the image contains. In a folder with nothing else, because `npm sbom --omit=dev` also leaves out what a
 * development package and the service have in common.
 */
async function listMaterials() {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-materials-'));
  for (const file of ['package.json', 'package-lock.json', '.npmrc']) cpSync(join(root, file), join(folder, file));
  await npm(['pkg', 'delete', 'devDependencies', 'optionalDependencies', 'workspaces'], folder);
  await npm(['install', '--package-lock-only', '--offline', '--ignore-scripts', '--no-audit'], folder);
  const list = await npm(['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'], folder);
  writeFileSync(join(packed, 'latchkey.cdx.json'), list);
  rmSync(folder, { recursive: true });
}

/** @param {readonly string[]} args */
function npm(args, cwd = root) {
  return succeed('npm', [...args, '--loglevel=error'], { cwd });
}

/** @param {string} version */
function commandsFor(version) {
  const next = version.replace(/\.(\d+)\.\d+$/, (_, minor) => `.${Number(minor) + 1}.0`);
  return `
git add --all && git commit --message "Release ${version}"
git tag --annotate v${version} --message "Latchkey ${version}"
git tag --annotate clients/go/v${version} --message "The Go guard ${version}"
node scripts/release/versions.mjs --begin ${next} && git commit --all --message "Begin ${next}"
git push --follow-tags

A CI publishes what is tagged (.github/workflows/release.yml, deploy/ci). Without one: \`npm publish\` each .tgz of
release/, \`twine upload\` the wheel, upload release/maven to a Maven repository, and build and push the two images of the Dockerfile.`;
}
