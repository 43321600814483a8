import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf } from './hash.mjs';

/**
 * Whether node_modules matches package-lock.json, by the note that we write after our own install, or by the one that
 * npm writes after a manual install. Both notes are inside node_modules and are written last, so an interrupted install
 * or a deleted folder does not count as finished.
 * @param {string} checkout
 */
export function isInstalled(checkout) {
  const note = noteOf(checkout);
  if (existsSync(note) && readFileSync(note, 'utf8') === wanted(checkout)) return true;
  return isInstalledByHand(checkout);
}

/** @param {string} checkout */
export function noteInstalled(checkout) {
  writeFileSync(noteOf(checkout), wanted(checkout));
}

/** @param {string} checkout */
const noteOf = (checkout) => join(checkout, 'node_modules', '.latchkey-lock');
// Includes the platform: in a folder that two machines share, the binaries belong to one of them.
const wanted = (/** @type {string} */ checkout) =>
  `${hashOf(['package-lock.json'], checkout)} ${process.platform}-${process.arch}\n`;

/**
 * @typedef {{ version?: string, integrity?: string, optional?: boolean, os?: string[], cpu?: string[], libc?: string[] }} Package
 *
 * @param {string} checkout
 */
function isInstalledByHand(checkout) {
  const installed = packagesIn(join(checkout, 'node_modules', '.package-lock.json'));
  if (!installed) return false;
  return (
    Object.entries(packagesIn(join(checkout, 'package-lock.json')) ?? {})
      // Our own packages are links: another version of them installs nothing.
      .filter(([path]) => path.includes('node_modules/'))
      .every(([path, locked]) => {
        const found = installed[path];
        return found ? found.version === locked.version && found.integrity === locked.integrity : mayBeMissing(locked);
      })
  );
}

/**
 * npm leaves out packages for other platforms. A package that was left out with `--omit` counts as missing.
 * @param {Package} locked
 */
function mayBeMissing({ optional, os, cpu, libc }) {
  const forUs = os?.includes(process.platform) && cpu?.includes(process.arch) && !libc;
  return optional === true && !forUs;
}

/**
 * @param {string} lockfile
 * @returns {Record<string, Package> | undefined}
 */
function packagesIn(lockfile) {
  return existsSync(lockfile) ? JSON.parse(readFileSync(lockfile, 'utf8')).packages : undefined;
}
