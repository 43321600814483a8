import { createServer } from 'node:http';
import { join } from 'node:path';
import { root } from '../../../scripts/lib/paths.mjs';
import { freePort } from '../../../scripts/lib/ports.mjs';
import { run } from '../../../scripts/lib/run.mjs';
import { startService } from '../../../scripts/lib/service.mjs';
import { prepareService, startInHost } from '../processes/hosted-service.mjs';
import { createDatabase } from '../stores/databases.mjs';

/**
 * Something that suites share, while it runs.
 * @typedef {object} Shared
 * @property {Readonly<Record<string, string>>} addresses where suites reach it
 * @property {() => Promise<unknown>} stop
 */

/**
 * Finds what a path names, and starts it if it does not run yet.
 * @typedef {(path: string) => Promise<Shared>} Find
 */

/**
 * Path → how to start what it names. Hosts, services and browsers are numbered, one for each Jest worker: suites that
 * run at the same time share none, so that one does not see the other's floods, queues and clipboard.
 * @type {Readonly<Record<string, (number: string, find: Find) => Promise<Shared>>>}
 */
const KINDS = {
  build,
  migrated: migrateDatabase,
  host: startHost,
  service: startSharedService,
  chromium: startSharedChromium,
};

/**
 * Starts what suites share when the first of them needs it, and answers with its addresses. It belongs to the main Jest
 * process, which outlives its workers. Everything ends with that process, also when it is killed.
 * @returns {Promise<{ url: string, stop(): Promise<void> }>}
 */
export async function offerSharedThings() {
  /** @type {Map<string, Promise<Shared>>} */
  const started = new Map();
  /** @type {Find} */
  const find = (path) => {
    const starting = started.get(path) ?? start(path, find);
    started.set(path, starting);
    return starting;
  };
  const server = createServer((request, response) => {
    // A kept connection could be closed just as a suite sends its next request on it.
    response.setHeader('connection', 'close');
    find(request.url ?? '').then(
      ({ addresses }) => response.end(JSON.stringify(addresses)),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise((/** @type {(_: void) => void} */ resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      const all = await Promise.allSettled(started.values());
      await Promise.all(all.map((one) => (one.status === 'fulfilled' ? one.value.stop() : undefined)));
    },
  };
}

/**
 * @param {string} path
 * @param {Find} find
 */
async function start(path, find) {
  const [, name = '', number = ''] = path.split('/');
  const kind = KINDS[name];
  if (!kind) throw new Error(`Unknown path of a shared service: ${path}`);
  return kind(number, find);
}

/**
 * A process that runs services for the suites of one worker.
 * @param {string} _number
 * @param {Find} find
 * @returns {Promise<Shared>}
 */
async function startHost(_number, find) {
  await find('/build');
  const port = String(await freePort());
  const host = startService('test/support/processes/service-host.mjs', { HOST_PORT: port });
  if (!(await host.ready)) throw new Error(`The host of services did not start: ${await host.exited}`);
  return { addresses: { url: `http://127.0.0.1:${port}` }, stop: host.stop };
}

/**
 * A service with demo values and its own database, in the host with the same number.
 * @param {string} number
 * @param {Find} find
 * @returns {Promise<Shared>}
 */
async function startSharedService(number, find) {
  const [{ addresses }, { env, addresses: own }] = await Promise.all([find(`/host/${number}`), prepareService()]);
  // It ends with its host.
  await startInHost(addresses['url'] ?? '', env);
  return { addresses: own, stop: async () => {} };
}

/**
 * Builds what is out of date.
 * @returns {Promise<Shared>}
 */
async function build() {
  const { code, output } = await run(process.execPath, [join(root, 'scripts/build.mjs')]);
  if (code !== 0) throw new Error(output);
  return { addresses: {}, stop: async () => {} };
}

/**
 * A database with all tables and nothing else, of which suites get copies.
 * @param {string} _number
 * @param {Find} find
 * @returns {Promise<Shared>}
 */
async function migrateDatabase(_number, find) {
  const [{ url }] = await Promise.all([createDatabase(), find('/build')]);
  const env = { ...process.env, DATABASE_URL: url };
  const { code, output } = await run(process.execPath, [join(root, 'dist/composition/cli.js'), 'migrate'], { env });
  if (code !== 0) throw new Error(output);
  return { addresses: { name: new URL(url).pathname.slice(1) }, stop: async () => {} };
}

/** @returns {Promise<Shared>} */
async function startSharedChromium() {
  // Loaded here, because few runs need a browser.
  const { startChromium } = await import('../../browser/support/chromium.mjs');
  const browser = await startChromium();
  return { addresses: { endpoint: browser.wsEndpoint() }, stop: () => browser.close() };
}
