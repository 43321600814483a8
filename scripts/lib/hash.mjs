import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';

// What is generated is made from files that are hashed themselves.
const leftOut = /(^|\/)(node_modules|dist|generated|__pycache__)$|\.spec\.ts$/;

/**
 * One hash over the paths and contents of files and folders. File times are not used: they are wrong after a git
 * checkout.
 * @param {readonly string[]} inputs paths under `base`; a missing one counts as missing
 */
export function hashOf(inputs, base = root) {
  const hash = createHash('sha256');
  for (const file of inputs.flatMap((input) => filesUnder(input, base)).sort()) {
    hash.update(`${file}\0`);
    if (existsSync(join(base, file))) hash.update(readFileSync(join(base, file)));
    hash.update('\0');
  }
  return hash.digest('hex');
}

/**
 * @param {string} path
 * @param {string} base
 * @returns {string[]}
 */
function filesUnder(path, base) {
  if (leftOut.test(path)) return [];
  if (!statSync(join(base, path), { throwIfNoEntry: false })?.isDirectory()) return [path];
  return readdirSync(join(base, path)).flatMap((name) => filesUnder(`${path}/${name}`, base));
}
