import { freePort } from '../../scripts/lib/ports.mjs';
import { start } from './process.mjs';

export const SERVICE_TOKEN = 'dev-validator-token';
/** So high that no key of the bench reaches its limit; each use is still charged. */
export const UNLIMITED = { RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' };

/**
 * The service as it is built, in a process of its own.
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
  return { ...child, url, grpcPort, target: `127.0.0.1:${grpcPort}`, grants: () => grants(url) };
}

/**
 * The grants that the service itself counted.
 * @param {string} url
 */
async function grants(url) {
  const text = await (await fetch(`${url}/metrics`)).text();
  const count = /^latchkey_validations_total\{outcome="granted",reason=""\} (\d+)$/m.exec(text);
  return Number(count?.[1]);
}
