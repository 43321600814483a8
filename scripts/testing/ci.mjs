// `.ci/run`: every suite on the Node on the PATH, then some of them on the other one of the two versions that we
// promise most about. The very last line is the sum of both.
import '../lib/node-version.mjs';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { run, step } from '../lib/run.mjs';

/** The oldest version that Latchkey supports, and the one that README.md recommends. */
const [oldest, recommended] = ['20.19', '24'];
const onOtherNode = ['src/domain', 'src/application', 'test/api', 'clients/node', 'test/doors'];
/** @typedef {{ passed: number, failed: number }} Count */
/** @type {Count} */
const failure = { passed: 0, failed: 1 };

const here = process.versions.node;
const other = here.startsWith(`${recommended}.`) ? oldest : recommended;
console.log(`Every suite on Node ${here}.`);
const whole = await test([]);
console.log(`\nOn Node ${other}: ${onOtherNode.join(', ')}.`);
// Outside the checkout, because its .npmrc runs no install scripts, and this package needs its own to install the
// program.
const folder = mkdtempSync(join(tmpdir(), 'latchkey-node-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const node = await installNode();
const part = node ? await test(onOtherNode, node) : failure;

const sum = { passed: whole.passed + part.passed, failed: whole.failed + part.failed };
console.log(`\nOn Node ${here}: ${inWords(whole)}. On Node ${other}: ${inWords(part)}. Together:`);
console.log(inWords(sum));
process.exit(sum.failed === 0 ? 0 : 1);

/**
 * @param {readonly string[]} args
 * @param {string} [program] another Node than this one
 * @returns {Promise<Count>}
 */
async function test(args, program) {
  // First on the PATH, so that programs that a suite starts by name have the same version.
  const path = [...(program ? [dirname(program)] : []), process.env['PATH']].join(delimiter);
  const env = { ...process.env, CI: 'true', PATH: path };
  const { message } = step('scripts/test.mjs', args, { env, ...(program ? { node: program } : {}) });
  return /** @type {Count | undefined} */ (await message) ?? failure;
}

/** @returns {Promise<string | undefined>} undefined when it is not available; the reason is printed */
async function installNode() {
  const args = ['install', '--prefix', folder, '--ignore-scripts=false', '--no-audit', '--no-fund', `node@${other}`];
  const { code, output } = await run('npm', args, { cwd: folder, shell: process.platform === 'win32' });
  const program = join(folder, 'node_modules/node/bin/node');
  if (code === 0 && existsSync(program)) return program;
  console.log(`Node ${other} could not be installed, which is a failure:\n${output.trim()}`);
  return undefined;
}

/** @param {Count} count */
function inWords({ passed, failed }) {
  return `${passed} passed, ${failed} failed`;
}
