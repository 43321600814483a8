import { delimiter, dirname } from 'node:path';
import { step } from '../lib/run.mjs';

/**
 * Runs the tests as a CI does: every suite, and nothing may be missing.
 * @param {readonly string[]} args for scripts/test.mjs
 * @param {string} [program] another Node than this one
 * @returns {Promise<import('./failures.mjs').Count>}
 */
export async function testOn(args, program) {
  // First on the PATH, so that programs that a suite starts by name have the same version.
  const path = [...(program ? [dirname(program)] : []), process.env['PATH']].join(delimiter);
  const env = { ...process.env, CI: 'true', PATH: path };
  const { message, code } = step('scripts/test.mjs', args, { env, ...(program ? { node: program } : {}) });
  const count = /** @type {import('./failures.mjs').Count | undefined} */ (await message);
  return count ?? { passed: 0, failed: 1, failures: [{ where: `scripts/test.mjs ended early, with ${await code}` }] };
}
