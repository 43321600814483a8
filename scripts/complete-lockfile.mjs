// Run after `npm install` has changed package-lock.json. A registry that lacks a package's binaries for some platforms
// (a mirror, a new release) makes npm leave them out of the lockfile, and then `npm ci` (npm 11.19) refuses the
// lockfile on every machine. This adds an entry for each: npm skips it where the platform does not fit, and fetches it
// where it does. With --check it only reports whether an entry is missing.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib/paths.mjs';
import { main, Stop } from './lib/stop.mjs';

/**
 * @typedef {{ version?: string, dev?: boolean, optionalDependencies?: Record<string, string> }} Package
 * @typedef {Record<string, Package>} Packages
 */

await main(() => {
  const file = join(root, 'package-lock.json');
  const lock = JSON.parse(readFileSync(file, 'utf8'));
  const missing = missingFrom(lock.packages);
  if (process.argv.includes('--check')) {
    if (missing.length > 0)
      throw new Stop(
        `package-lock.json lacks packages for other platforms (${missing.length}): run \`node scripts/complete-lockfile.mjs\`.`,
      );
    return;
  }
  const all = { ...lock.packages, ...Object.fromEntries(missing) };
  lock.packages = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`Entries of package-lock.json added: ${missing.length}`);
});

/**
 * @param {Packages} packages
 * @returns {[path: string, entry: object][]}
 */
function missingFrom(packages) {
  return Object.entries(packages).flatMap(([path, { dev, optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !isFound(packages, path, name))
      .map(([name, version]) => {
        if (!/^\d+\.\d+\.\d+\S*$/.test(version))
          throw new Stop(`${name} has a range of versions, ${version}: add it by hand.`);
        return /** @type {[string, object]} */ ([`node_modules/${name}`, entryOf(name, version, dev)]);
      }),
  );
}

/**
 * Searches like Node: in the package's own node_modules, then in each folder above.
 * @param {Packages} packages
 * @param {string} path
 * @param {string} name
 * @returns {boolean}
 */
function isFound(packages, path, name) {
  if (packages[path === '' ? `node_modules/${name}` : `${path}/node_modules/${name}`]) return true;
  return path !== '' && isFound(packages, path.replace(/(^|\/)(node_modules\/)?(@[^/]+\/)?[^/]+$/, ''), name);
}

/**
 * The name of a package of binaries contains its platform.
 * @param {string} name
 * @param {string} version
 * @param {boolean | undefined} dev
 */
function entryOf(name, version, dev) {
  const os = /darwin|linux|win32|android|freebsd|openharmony/.exec(name)?.[0];
  const word = /-(aarch64|arm64|arm|x64|ia32|ppc64|s390x|riscv64|loong64)/.exec(name)?.[1];
  if (!os || !word) throw new Stop(`${name} does not say what platform it is for: add it to the lockfile by hand.`);
  const libc = os === 'linux' ? /gnu|musl/.exec(name)?.[0].replace('gnu', 'glibc') : undefined;
  const cpu = word === 'aarch64' ? 'arm64' : word;
  return { version, cpu: [cpu], ...(dev ? { dev } : {}), ...(libc ? { libc: [libc] } : {}), optional: true, os: [os] };
}
