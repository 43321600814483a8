import { createServer } from 'node:http';
import { join } from 'node:path';
import { root } from '../../../scripts/lib/paths.mjs';
import { freePort } from '../../../scripts/lib/ports.mjs';
import { succeed } from '../../../scripts/lib/run.mjs';
import { startService } from '../../../scripts/lib/service.mjs';
import { prepareService, startInHost } from '../processes/hosted-service.mjs';
import { createDatabase } from '../stores/databases.mjs';

/**
 * Something that suites share, while it runs: where they reach it, and what ends it, unless it ends with something else.
 * @typedef {{ addresses: Readonly<Record<string, string>>, stop?: () => Promise<unknown> }} Shared
 * @typedef {(path: string) => Promise<Shared>} Find finds what a path names, and starts it if it does not run yet
 */

/** @param {Parameters<typeof succeed>[1]} args */
const node = (args, env = {}) => succeed(process.execPath, args, { env: { ...process.env, ...env } });

/** @type {(number: string, find: Find) => Promise<Shared>} */
async function startHost(_, find) {
  await find('/build');
  const port = String(await freePort());
  const host = startService('test/support/processes/host.mjs', { HOST_PORT: port });
  if (!(await host.ready)) throw new Error(`The host of services did not start: ${await host.exited}`);
  return { addresses: { url: `http://127.0.0.1:${port}` }, stop: host.stop };
}

/**
 * Path → how to start what it names. Hosts, services and browsers are numbered, one for each Jest worker: suites that
 * run at the same time share none, so that one does not see the other's floods, queues and clipboard.
 * @type {Readonly<Record<string, (number: string, find: Find) => Promise<Shared>>>}
 */
const KINDS = {
  /** Builds what is out of date. */
  build: async () => {
    await node([join(root, 'scripts/build.mjs')]);
    return { addresses: {} };
  },
  /** A database with all tables and nothing else, of which suites get copies. */
  migrated: async (_, find) => {
    const [{ url }] = await Promise.all([createDatabase(), find('/build')]);
    await node([join(root, 'dist/composition/cli.js'), 'migrate'], { DATABASE_URL: url });
    return { addresses: { name: new URL(url).pathname.slice(1) } };
  },
  /** A process that runs services for the suites of one worker. */
  host: startHost,
  /** The same for commands, which replace what belongs to the whole process. */
  commands: startHost,
  /** A service with demo values and its own database, in the host with the same number, with which it ends. */
  service: async (number, find) => {
    const [host, { env, addresses }] = await Promise.all([find(`/host/${number}`), prepareService()]);
    await startInHost(host.addresses['url'] ?? '', env);
    return { addresses };
  },
  chromium: async () => {
    // Loaded here, because few runs need a browser.
    const { startChromium } = await import('../../browser/support/chromium.mjs');
    const browser = await startChromium();
    return { addresses: { endpoint: browser.wsEndpoint() }, stop: () => browser.close() };
  },
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
    const [, name = '', number = ''] = path.split('/');
    const kind = KINDS[name];
    if (!kind) return Promise.reject(new Error(`Unknown path of a shared service: ${path}`));
    const starting = started.get(path) ?? kind(number, find);
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
      await Promise.all(all.map((one) => (one.status === 'fulfilled' ? one.value.stop?.() : undefined)));
    },
  };
}
