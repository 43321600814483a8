import './node-version.mjs';
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout: the folder with package.json, without symbolic links in its path. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * Whether a module is the script that node was started with, and not imported by another.
 * @param {string} moduleUrl its import.meta.url
 */
export function isMain(moduleUrl) {
  return process.argv[1] !== undefined && fileURLToPath(moduleUrl) === realpathSync(process.argv[1]);
}
