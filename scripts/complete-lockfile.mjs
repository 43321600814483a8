// Run after `npm install` has changed package-lock.json. A registry that lacks a package's binaries for some platforms
// (a mirror, a new release) makes npm leave them out of the lockfile, and then `npm ci` (npm 11.19) refuses the
// lockfile on every machine. This adds an entry for each: npm skips it where the platform does not fit, and fetches it
// where it does. With --check it only reports whether an entry is missing.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib/paths.mjs';
import { main, Stop } from './lib/stop.mjs';

/** @typedef {{ [field: string]: unknown, dev?: boolean, optionalDependencies?: Record<string, string> }} Package */

await main(() => {
  const file = join(root, 'package-lock.json');
  /** @type {{ packages: Record<string, Package> }} */
  const lock = JSON.parse(readFileSync(file, 'utf8'));
  const before = Object.keys(lock.packages).length;
  for (const [path, { dev, optionalDependencies = {} }] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      if (`${path}/node_modules/${name}` in lock.packages) continue;
      lock.packages[`node_modules/${name}`] ??= entryOf(name, version, dev);
    }
  }
  const all = Object.entries(lock.packages).sort(([one], [other]) => (one < other ? -1 : 1));
  const missing = all.length - before;
  if (!process.argv.includes('--check')) {
    writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(all) }, null, 2)}\n`);
  } else if (missing > 0) {
    const what = `package-lock.json lacks packages for other platforms (${missing})`;
    throw new Stop(`${what}: run \`node scripts/complete-lockfile.mjs\`.`);
  }
});

/**
 * The name of a package of binaries contains its platform.
 * @type {(name: string, version: string, dev: boolean | undefined) => Package}
 */
function entryOf(name, version, dev) {
  const os = /darwin|linux|win32|android|freebsd|openharmony/.exec(name)?.[0];
  const cpu = /-(aarch64|arm64|arm|x64|ia32|ppc64|s390x|riscv64|loong64)/.exec(name)?.[1]?.replace('aarch64', 'arm64');
  if (!os || !cpu || !/^\d+\.\d+\.\d+\S*$/.test(version))
    throw new Stop(`${name} ${version} does not say its platform or one version: add it to the lockfile by hand.`);
  const libc = os === 'linux' ? /gnu|musl/.exec(name)?.[0].replace('gnu', 'glibc') : undefined;
  return { version, cpu: [cpu], ...(dev ? { dev } : {}), ...(libc ? { libc: [libc] } : {}), optional: true, os: [os] };
}
