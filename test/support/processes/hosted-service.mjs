import { freePort } from '../../../scripts/lib/ports.mjs';
import { createMigratedDatabase } from '../stores/databases.mjs';
import { reached } from '../stores/pooled.mjs';
import { LONG_TIMEOUTS, NO_KEY_LIMIT } from './timeouts.mjs';

/**
 * A service's environment: demo values and free ports, its own database unless one is given, and the given values.
 * @param {NodeJS.ProcessEnv} given
 * @returns {Promise<{ env: NodeJS.ProcessEnv, addresses: { url: string, grpcTarget: string, servicesUrl: string, databaseUrl: string },
 *   drop(): Promise<void> }>}
 */
export async function prepareService(given = {}) {
  const own = given['DATABASE_URL'] ? undefined : await createMigratedDatabase();
  const databaseUrl = given['DATABASE_URL'] ?? own?.url ?? '';
  const way = reached(databaseUrl);
  const httpPort = given['HTTP_PORT'] ?? String(await freePort());
  const grpcPort = given['GRPC_PORT'] ?? String(await freePort());
  const servicesPort = given['SERVICES_PORT'] ?? String(await freePort());
  return {
    env: {
      DEMO: '1',
      LOG_LEVEL: 'silent',
      ...LONG_TIMEOUTS,
      ...NO_KEY_LIMIT,
      HTTP_PORT: httpPort,
      GRPC_PORT: grpcPort,
      SERVICES_PORT: servicesPort,
      ...given,
      DATABASE_URL: way.url,
      DATABASE_POOLING: given['DATABASE_POOLING'] ?? way.pooling,
    },
    addresses: {
      url: `http://127.0.0.1:${httpPort}`,
      grpcTarget: `127.0.0.1:${grpcPort}`,
      servicesUrl: `http://127.0.0.1:${servicesPort}`,
      databaseUrl,
    },
    drop: async () => own?.drop(),
  };
}

/**
 * Starts a service in a host (service-host.mjs).
 * @param {string} host its URL
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<() => Promise<void>>} stops it
 * @throws what kept it from starting
 */
export async function startInHost(host, env) {
  const id = await order(host, { method: 'POST', body: JSON.stringify(env) });
  return async () => void (await order(`${host}/${id}`, { method: 'DELETE' }));
}

/**
 * @param {string} url
 * @param {RequestInit} request
 */
async function order(url, request) {
  const answer = await fetch(url, request);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}
