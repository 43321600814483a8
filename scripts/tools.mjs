// The programs that the tests need beyond npm. Missing ones are installed (on Debian as root), or one line says what to
// install.
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { isMain } from './lib/paths.mjs';
import { endWithParent, run } from './lib/run.mjs';
import { main, Stop } from './lib/stop.mjs';

/** Command → its Debian package. @type {Readonly<Record<string, string>>} */
export const tools = {
  'redis-server': 'redis-server',
  chromium: 'chromium',
  faketime: 'faketime',
  nginx: 'nginx',
  caddy: 'caddy',
  haproxy: 'haproxy',
  go: 'golang-go',
  python3: 'python3',
  script: 'bsdutils',
};

/**
 * @param {Readonly<Record<string, string>>} [wanted]
 * @param {(packages: readonly string[]) => Promise<void>} [install]
 * @throws {Stop} a tool is missing: tests are never skipped for that
 */
export async function ensureTools(wanted = tools, install = aptInstall) {
  const missing = missingOf(wanted);
  if (missing.length === 0) return;
  await install(missing.map(([, name]) => name));
  const still = missingOf(wanted);
  if (still.length === 0) return;
  const debian = `on Debian: apt-get install ${still.map(([, name]) => name).join(' ')}`;
  throw new Stop(`The tests need ${still.map(([command]) => command).join(', ')}: please install (${debian}).`);
}

/** @param {Readonly<Record<string, string>>} wanted */
const missingOf = (wanted) => Object.entries(wanted).filter(([command]) => !isOnPath(command));

/** Debian installs servers in a folder that is only on root's path. */
export function searchPath() {
  return [process.env['PATH'] ?? '', '/usr/sbin'].join(delimiter);
}

/** @param {string} command */
function isOnPath(command) {
  return searchPath()
    .split(delimiter)
    .some((folder) => {
      try {
        accessSync(join(folder, command), constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/**
 * Installs on Debian as root; on other systems it does nothing.
 * @param {readonly string[]} packages
 */
async function aptInstall(packages) {
  if (!existsSync('/etc/debian_version') || process.getuid?.() !== 0) return;
  console.log(`Installing ${packages.join(', ')} …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const update = await run('apt-get', ['update', '-qq'], { env });
  const install = await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], { env });
  if (install.code !== 0) console.error((update.output + install.output).trim());
}

if (isMain(import.meta.url)) {
  endWithParent();
  await main(() => ensureTools());
}
