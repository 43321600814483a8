// `npm run release -- 0.3.0`: everything up to publishing, then prints what to type. Stops at the first fault and leaves
// the files as they were. With --dry-run it says whether a release could begin, and with which steps.
import '../lib/node-version.mjs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { run } from '../lib/run.mjs';
import { main, Stop } from '../lib/stop.mjs';
import { moveBaseline } from '../proto-baseline.mjs';
import { inWords } from '../testing/failures.mjs';
import { testOn } from '../testing/on-node.mjs';
import { requireCurrentBranch, restoreCheckout } from './checkout.mjs';
import { listMaterials, pack, packages, packed } from './packages.mjs';
import { currentVersion, isOlder, requireOneVersion, setVersion, unreleased } from './versions.mjs';

const NODES = ['20', '24'];
const USAGE = 'npm run release -- 0.3.0 [--other-node <program>] [--without-tests] [--dry-run]';
const here = process.versions.node;

await main(async () => {
  const { version, otherNode, withoutTests, isDryRun } = choice();
  await requireCurrentBranch(`v${version}`);
  requireOneVersion();
  if (unreleased() === '')
    throw new Stop('CHANGELOG.md has nothing under "## Unreleased": say there what users will notice.');
  /** @typedef {[what: string, take: () => Promise<void> | void]} Step @type {Step[]} */
  const tests = withoutTests
    ? [['WITHOUT CHECKS AND TESTS, as you asked: only that there is one version. Do not publish it', requireOneVersion]]
    : [
        [`the check and every suite on this Node, ${here}`, () => test()],
        [`the check and every suite on Node ${await versionOf(otherNode)}`, () => test(otherNode)],
      ];
  /** @type {Step[]} */
  const steps = [
    [`version ${version} in every package, image and page, and in CHANGELOG.md`, () => setVersion(version)],
    ['proto/ becomes the contract that later changes are compared with', moveBaseline],
    ...tests,
    [`the packages, into ${packed}/`, pack],
    [`the bill of materials, ${packed}/latchkey.cdx.json`, listMaterials],
  ];
  if (isDryRun) console.log('A dry run: nothing is changed. A release has these steps:');
  else restoreUnlessFinished();
  for (const [index, [what, take]] of steps.entries()) {
    console.log(`Step ${index + 1} of ${steps.length}: ${what}`);
    if (!isDryRun) await take();
  }
  console.log(
    isDryRun ? '\nThen it prints what to type:' : `\nLatchkey ${version} is ready. Look at \`git diff\`, then type:`,
  );
  console.log(commandsFor(version));
});

function choice() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        'other-node': { type: 'string' },
        'without-tests': { type: 'boolean', default: false },
        'dry-run': { type: 'boolean', default: false },
      },
    });
    const [version = ''] = positionals;
    if (positionals.length !== 1 || !isNewer(version, currentVersion()))
      throw new Error(`Name one version, newer than ${currentVersion()}`);
    return {
      version,
      otherNode: values['other-node'] === undefined ? '' : resolve(values['other-node']),
      withoutTests: values['without-tests'],
      isDryRun: values['dry-run'],
    };
  } catch (error) {
    throw new Stop(`${error instanceof Error ? error.message : error}. Usage: ${USAGE}`);
  }
}

/**
 * @param {string} version three numbers: npm publishes anything else only with a tag of its own
 * @param {string} than
 */
function isNewer(version, than) {
  const numbers = /^(\d+)\.(\d+)\.(\d+)$/;
  return numbers.test(version) && !isOlder(version, than) && version !== than;
}

/**
 * @param {string} program the other Node
 * @returns {Promise<string>} its version
 * @throws {Stop} when the tests can't run on both
 */
async function versionOf(program) {
  const missing = NODES.filter((major) => !here.startsWith(`${major}.`));
  if (missing.length > 1)
    throw new Stop(
      `A release is tested on Node ${NODES.join(' and ')}, and this is ${here}: start it with one of them.`,
    );
  const how = `Name its program, for example --other-node "$(nvm which ${missing[0]})".`;
  if (program === '') throw new Stop(`A release is tested on Node ${missing[0]}, too, and this is ${here}. ${how}`);
  const { code, output } = await run(program, ['-p', 'process.versions.node']);
  if (code === 0 && output.startsWith(`${missing[0]}.`)) return output.trim();
  throw new Stop(`${program} is not Node ${missing[0]}: it said "${output.trim()}". ${how}`);
}

/** @param {string} [program] another Node than this one */
async function test(program) {
  const count = await testOn([], program);
  if (count.failed > 0)
    throw new Stop(`${inWords(count)}: the lines above say what. Mend it, commit, and start again.`);
}

function restoreUnlessFinished() {
  process.once('exit', (code) => void (code !== 0 && restoreCheckout()));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
}

/** @param {string} version */
function nextMinor(version) {
  return version.replace(/\.(\d+)\.\d+$/, (_, minor) => `.${Number(minor) + 1}.0`);
}

/** @param {string} version */
function commandsFor(version) {
  const image = (/** @type {string} */ name, options = '') => `
docker build --build-arg REVISION=$(git rev-parse HEAD) ${options}--tag "$REGISTRY/${name}:${version}" .
docker push "$REGISTRY/${name}:${version}"`;
  return `
git add --all && git commit --message "Release ${version}"
git tag --annotate v${version} --message "Latchkey ${version}"
node scripts/release/versions.mjs --begin ${nextMinor(version)} && git commit --all --message "Begin ${nextMinor(version)}"
git push --follow-tags

If your CI publishes what is tagged (deploy/ci), that was all. Otherwise, with REGISTRY set to where your images are kept:
${packages.map((name) => `\nnpm publish ./${packed}/${name.slice(1).replace('/', '-')}-${version}.tgz`).join('')}
${image('latchkey')}${image('latchkey-systems-api', '--target systems-api ')}`;
}
