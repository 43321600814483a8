import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

// Every script imports this module, so an old Node ends with this line and not with a call that it lacks.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || major === 21 || (major === 20 && minor < 19) || (major === 22 && minor < 12)) {
  console.error(`Latchkey needs Node.js 20.19 or newer (24 is recommended); this is ${process.versions.node}.`);
  process.exit(1);
}

/** The checkout: the folder with package.json, without symbolic links in its path. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * Whether a module is the script that node was started with, and not imported by another.
 * @param {string} moduleUrl its import.meta.url
 */
export function isMain(moduleUrl) {
  return process.argv[1] !== undefined && fileURLToPath(moduleUrl) === realpathSync(process.argv[1]);
}
