import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { run } from '../lib/run.mjs';
import { isOnPath } from '../lib/search-path.mjs';

/**
 * Installs on Debian as root; elsewhere it does nothing.
 * @param {readonly string[]} packages
 * @returns {Promise<readonly string[]>} what apt-get set up: these packages and those that they depend on
 */
export async function aptInstall(packages) {
  if (!existsSync('/etc/debian_version') || !isOnPath('apt-get') || process.getuid?.() !== 0) return [];
  console.log(`Installing ${packages.join(', ')} …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' };
  const update = await run('apt-get', ['update', '-qq'], { env });
  const install = await withoutServices('/usr/sbin/policy-rc.d', () =>
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], { env }),
  );
  if (install.code !== 0) console.error((update.output + install.output).trim());
  return [...install.output.matchAll(/^Setting up ([^\s:]+)/gm)].map(([, name]) => name ?? '');
}

/**
 * Debian starts the servers that it installs, on ports that the suites do not use, unless this file forbids it.
 * @template T
 * @param {string} policy
 * @param {() => Promise<T>} install
 */
export async function withoutServices(policy, install) {
  if (existsSync(policy)) return install();
  writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    return await install();
  } finally {
    rmSync(policy, { force: true });
  }
}
