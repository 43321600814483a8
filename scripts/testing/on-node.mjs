import { delimiter, dirname } from 'node:path';
import { step } from '../lib/run.mjs';

/** @typedef {{ passed: number, failed: number }} Count */
/** @type {Count} */
export const failure = { passed: 0, failed: 1 };

/**
 * Runs the tests as a CI does: every suite, and nothing may be missing.
 * @param {readonly string[]} args for scripts/test.mjs
 * @param {string} [program] another Node than this one
 * @returns {Promise<Count>}
 */
export async function testOn(args, program) {
  // First on the PATH, so that programs that a suite starts by name have the same version.
  const path = [...(program ? [dirname(program)] : []), process.env['PATH']].join(delimiter);
  const env = { ...process.env, CI: 'true', PATH: path };
  const { message } = step('scripts/test.mjs', args, { env, ...(program ? { node: program } : {}) });
  return /** @type {Count | undefined} */ (await message) ?? failure;
}

/** @param {Count} count */
export function inWords({ passed, failed }) {
  return `${passed} passed, ${failed} failed`;
}
