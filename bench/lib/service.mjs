import { freePort } from '../../scripts/lib/ports.mjs';
import { start } from './process.mjs';

export const SERVICE_TOKEN = 'dev-validator-token';
/** The password of all owners in the benchmark. */
export const PASSWORD = 'correct horse battery staple';
/** So high that no key of the benchmark reaches its limit; each use is still charged. */
export const UNLIMITED = {
  RATE_LIMIT_PER_SECOND: '1000000',
  RATE_LIMIT_BURST: '1000000',
  // Under a load that no machine can keep up with, every validation would be logged as slow.
  SLOW_VALIDATION_MS: '0',
};

/**
 * The built service in its own process.
 * @param {string} databaseUrl
 * @param {Record<string, string>} [env]
 */
export async function startService(databaseUrl, env = {}) {
  const [httpPort, grpcPort] = [await freePort(), await freePort()];
  const child = await start('../dist/main.js', {
    env: {
      DEMO: '1',
      LOG_LEVEL: 'warn',
      DATABASE_URL: databaseUrl,
      HTTP_PORT: String(httpPort),
      GRPC_PORT: String(grpcPort),
      ...UNLIMITED,
      ...env,
    },
  });
  const url = `http://127.0.0.1:${httpPort}`;
  return { ...child, databaseUrl, url, grpcPort, target: `127.0.0.1:${grpcPort}`, grants: () => grants(url) };
}

/** @typedef {Awaited<ReturnType<typeof startService>>} Service */

/**
 * A Node client of one or several services, in its own process. It validates random ones of the stored keys.
 * @param {readonly { target: string }[]} services
 * @param {number} keys
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

/**
 * The number of grants that the service itself counted.
 * @param {string} url
 */
async function grants(url) {
  const text = await (await fetch(`${url}/metrics`)).text();
  const count = /^latchkey_validations_total\{outcome="granted",reason=""\} (\d+)$/m.exec(text);
  return Number(count?.[1]);
}

/** Signs in. @param {string | undefined} url @returns {Promise<string>} the session cookie */
export async function cookieOf(url, email = 'demo@latchkey.dev') {
  const response = await fetch(`${url}/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  if (!response.ok) throw new Error(`sign-in: ${response.status}`);
  return /** @type {string} */ (response.headers.get('set-cookie')).split(';')[0];
}
