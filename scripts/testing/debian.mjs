import { existsSync } from 'node:fs';
import { run } from '../lib/run.mjs';
import { isOnPath } from '../lib/search-path.mjs';

/**
 * Installs on Debian as root; elsewhere it does nothing.
 * @param {readonly string[]} packages
 * @returns {Promise<readonly string[]>} what apt-get set up: these packages and those that they depend on
 */
export async function aptInstall(packages) {
  if (!existsSync('/etc/debian_version') || !isOnPath('apt-get') || process.getuid?.() !== 0) return [];
  // Debian starts the servers that it installs, on ports that the suites do not use: not in the runlevel of one user, nor with
  // systemd offline. No file of the machine has to say so.
  const quiet = { RUNLEVEL: '1', SYSTEMD_OFFLINE: '1' };
  const env = { ...process.env, ...quiet, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' };
  const update = await run('apt-get', ['update', '-qq'], { env });
  const args = ['install', '--no-install-recommends', ...packages];
  const plan = await run('apt-get', ['--simulate', ...args], { env });
  const all = [...plan.output.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name ?? '');
  console.log(`Installing these Debian packages, as root: ${all.join(' ')}`);
  const { code, output } = await run('apt-get', ['-y', '-qq', ...args], { env });
  if (code !== 0) console.error((update.output + output).trim());
  return all;
}
