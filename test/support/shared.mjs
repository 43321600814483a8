import { createServer } from 'node:http';
import { join } from 'node:path';
import { root } from '../../scripts/lib/paths.mjs';
import { freePort } from '../../scripts/lib/ports.mjs';
import { run } from '../../scripts/lib/run.mjs';
import { startService } from '../../scripts/lib/service.mjs';
import { createDatabase } from './databases.mjs';
import { PATIENT } from './patience.mjs';

/**
 * Something that suites share, running.
 * @typedef {object} Shared
 * @property {Readonly<Record<string, string>>} addresses where suites reach it
 * @property {() => Promise<unknown>} stop
 */

/**
 * Path → how to start what it names. Services are numbered, one for each worker of Jest: suites that run at the same
 * time share none, so that one does not see the other's floods and queues.
 * @type {Readonly<Record<string, () => Promise<Shared>>>}
 */
const KINDS = { service: startSharedService, chromium: startSharedChromium };

/**
 * Starts what suites share when the first of them asks for it, and answers where it is. It belongs to the process of
 * Jest itself, which outlives its workers; everything ends with that process, also when it is killed.
 * @returns {Promise<{ url: string, stop(): Promise<void> }>}
 */
export async function offerSharedThings() {
  /** @type {Map<string, Promise<Shared>>} */
  const started = new Map();
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const starting = started.get(path) ?? start(path);
    started.set(path, starting);
    starting.then(
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

/** @param {string} path */
async function start(path) {
  const kind = KINDS[path.split('/')[1] ?? ''];
  if (!kind) throw new Error(`Nothing is shared at ${path}`);
  return kind();
}

/**
 * The built service with demo values, cheap passwords and a database of its own.
 * @returns {Promise<Shared>}
 */
async function startSharedService() {
  await buildOnce();
  const { url: databaseUrl } = await createDatabase();
  const [httpPort, grpcPort] = [String(await freePort()), String(await freePort())];
  const ports = { HTTP_PORT: httpPort, GRPC_PORT: grpcPort };
  const service = startService('test/support/shared-service.mjs', {
    DEMO: '1',
    LOG_LEVEL: 'silent',
    DATABASE_URL: databaseUrl,
    ...PATIENT,
    ...ports,
  });
  if (!(await service.ready)) throw new Error(`The shared service did not start: ${await service.exited}`);
  const addresses = { url: `http://127.0.0.1:${httpPort}`, grpcTarget: `127.0.0.1:${grpcPort}`, databaseUrl };
  return { addresses, stop: service.stop };
}

/** @type {Promise<void> | undefined} */
let built;
/** Builds nothing unless something was changed since the last build. */
function buildOnce() {
  built ??= run(process.execPath, [join(root, 'scripts/build.mjs')]).then(({ code, output }) => {
    if (code !== 0) throw new Error(output);
  });
  return built;
}

/** @returns {Promise<Shared>} */
async function startSharedChromium() {
  // Loaded where it is needed: few runs need a browser.
  const { startChromium } = await import('../browser/support/chromium.mjs');
  const browser = await startChromium();
  return { addresses: { endpoint: browser.wsEndpoint() }, stop: () => browser.close() };
}
