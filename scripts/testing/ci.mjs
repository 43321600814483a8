// `.ci/run`: every suite on the Node on the PATH, then some of them on the other one of the two versions that we
// promise most about. Of its output CI keeps the end alone, which therefore repeats what failed. The very last line is the
// sum of both.
import '../lib/node-version.mjs';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { run, step } from '../lib/run.mjs';
import { excerptOf, inWords } from './failures.mjs';

/** The oldest version that Latchkey supports, and the one that README.md recommends. */
const [oldest, recommended] = ['20.19', '24'];
const onOtherNode = ['src/domain', 'src/application', 'test/api', 'clients/node', 'test/doors'];
const here = process.versions.node;
const other = here.startsWith(`${recommended}.`) ? oldest : recommended;
console.log(`Every suite on Node ${here}.`);
const whole = await testOn([]);
console.log(`\nOn Node ${other}: ${onOtherNode.join(', ')}.`);
// Outside the checkout, because its .npmrc runs no install scripts, and this package needs its own to install the
// program.
const folder = mkdtempSync(join(tmpdir(), 'latchkey-node-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const part = await testPart();

const failing = [
  { version: here, ...whole },
  { version: other, ...part },
].filter(({ failures }) => failures.length > 0);
for (const { version, failures } of failing) {
  console.log(`\nOn Node ${version}:\n${excerptOf(failures, 4000 / failing.length)}`);
}
const sum = { passed: whole.passed + part.passed, failed: whole.failed + part.failed, failures: [] };
console.log(`\nOn Node ${here}: ${inWords(whole)}. On Node ${other}: ${inWords(part)}. Together:`);
console.log(inWords(sum));
process.exit(sum.failed === 0 ? 0 : 1);

async function testPart() {
  const args = ['install', '--prefix', folder, '--ignore-scripts=false', '--no-audit', '--no-fund', `node@${other}`];
  const { code, output } = await run('npm', args, { cwd: folder, shell: process.platform === 'win32' });
  const program = join(folder, 'node_modules/node/bin/node');
  if (code === 0 && existsSync(program)) return testOn(onOtherNode, program);
  const where = `Node ${other} could not be installed`;
  console.log(`${where}, which is a failure:\n${output.trim()}`);
  return { passed: 0, failed: 1, failures: [{ where, text: output }] };
}

/**
 * Runs the tests as a CI does: every suite, and nothing may be missing.
 * @param {readonly string[]} args for scripts/test.mjs
 * @param {string} [program] another Node than this one
 * @returns {Promise<import('./failures.mjs').Count>}
 */
async function testOn(args, program) {
  // First on the PATH, so that programs that a suite starts by name have the same version.
  const path = [...(program ? [dirname(program)] : []), process.env['PATH']].join(delimiter);
  const env = { ...process.env, CI: 'true', PATH: path };
  const { message, code } = step('scripts/test.mjs', args, { env, ...(program ? { node: program } : {}) });
  const count = /** @type {import('./failures.mjs').Count | undefined} */ (await message);
  return count ?? { passed: 0, failed: 1, failures: [{ where: `scripts/test.mjs ended early, with ${await code}` }] };
}
