import { freePort } from '../../scripts/lib/ports.mjs';
import { start } from './process.mjs';

export const SERVICE_TOKEN = 'dev-validator-token';
/** The password of all owners in the benchmark. */
export const PASSWORD = 'correct horse battery staple';
/** So high that no key of the benchmark reaches its limit; each use is still charged. */
export const UNLIMITED = {
  RATE_LIMIT_PER_SECOND: '1000000',
  RATE_LIMIT_BURST: '1000000',
  KEY_CHANGES_PER_HOUR: '0',
  // Under a load that no machine can keep up with, every validation would be logged as slow.
  SLOW_VALIDATION_MS: '0',
};

/**
 * For measurements on a machine with busy neighbours, where the service must not time out a read: it would replace the
 * PostgreSQL process that is being measured.
 */
export const LONG_TIMEOUTS = { DATABASE_PATIENCE_MS: '10000', LOG_LEVEL: 'error' };

/** The built service in its own process. @param {string} databaseUrl @param {Record<string, string>} [env] */
export async function startService(databaseUrl, env = {}) {
  const [httpPort, grpcPort, servicesPort] = [await freePort(), await freePort(), await freePort()];
  const ports = { HTTP_PORT: String(httpPort), GRPC_PORT: String(grpcPort), SERVICES_PORT: String(servicesPort) };
  const child = await start('../dist/main.js', {
    env: { DEMO: '1', LOG_LEVEL: 'warn', DATABASE_URL: databaseUrl, ...ports, ...UNLIMITED, ...env },
  });
  const url = `http://127.0.0.1:${httpPort}`;
  return {
    ...child,
    databaseUrl,
    url,
    grpcPort,
    servicesPort,
    target: `127.0.0.1:${grpcPort}`,
    grants: () => grants(url),
  };
}

/** @typedef {Awaited<ReturnType<typeof startService>>} Service */

/**
 * A Node client of one or several services, in its own process. It validates random ones of the stored keys.
 * @param {readonly { target: string }[]} services @param {number} keys
 * @param {number} [deadlineMs] so long that a busy machine makes no validation fail
 */
export function startClient(services, keys, deadlineMs = 30_000) {
  const targets = services.map(({ target }) => target).join();
  const env = { BENCH_TARGETS: targets, BENCH_KEYS: String(keys), BENCH_DEADLINE_MS: String(deadlineMs) };
  return start('programs/client.mjs', { env, isServer: false });
}

/**
 * Runs work with a service and a client of it, and then stops both.
 * @template T
 * @param {{ databaseUrl: string, keys: number, env?: Record<string, string>, deadlineMs?: number }} settings
 * @param {(client: import('./process.mjs').BenchProcess, service: Service) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withService({ databaseUrl, keys, env, deadlineMs }, work) {
  const service = await startService(databaseUrl, env);
  const client = await startClient([service], keys, deadlineMs);
  const done = await work(client, service);
  await client.stop();
  await service.stop();
  return done;
}

/** A line to a server that counts the bytes, in its own process. @param {string} url */
export async function openLine(url) {
  const line = await start('programs/line.mjs', { env: { BENCH_TO: url }, isServer: false });
  const through = new URL(url);
  through.host = `127.0.0.1:${line.hello.port}`;
  /** Bytes in both directions so far. @returns {Promise<number>} */
  const countedBytes = async () => (await line.send({})).bytes;
  return { url: through.href, target: through.host, countedBytes, stop: line.stop };
}

/** The number of grants that the service itself counted. @param {string} url */
async function grants(url) {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^latchkey_validations_total\{outcome="granted",reason=""\} (\d+)$/m.exec(text)?.[1]);
}

/** Signs in. @param {string} url @returns {Promise<string>} the session cookie */
export async function cookieOf(url, email = 'demo@latchkey.dev') {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ email, password: PASSWORD });
  const response = await fetch(`${url}/v1/session`, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`sign-in: ${response.status}`);
  return /** @type {string} */ (response.headers.get('set-cookie')).split(';')[0];
}
