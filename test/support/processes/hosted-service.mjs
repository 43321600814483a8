import { freePort } from '../../../scripts/lib/ports.mjs';
import { createMigratedDatabase } from '../stores/databases.mjs';
import { reached } from '../stores/pooled.mjs';
import { LONG_TIMEOUTS, NO_KEY_LIMIT } from './timeouts.mjs';

/** Ports that are free at the moment, for one start. */
export async function freePorts() {
  return {
    HTTP_PORT: String(await freePort()),
    GRPC_PORT: String(await freePort()),
    SERVICES_PORT: String(await freePort()),
    SYSTEMS_API_PORT: String(await freePort()),
  };
}

/**
 * A service's environment: demo values and free ports, its own database unless one is given, and the given values.
 * @param {NodeJS.ProcessEnv} given
 * @returns {Promise<{ env: NodeJS.ProcessEnv, addresses: { url: string, grpcTarget: string, servicesUrl: string, databaseUrl: string },
 *   drop(): Promise<void> }>}
 */
export async function prepareService(given = {}) {
  const own = given['DATABASE_URL'] ? undefined : await createMigratedDatabase();
  const databaseUrl = given['DATABASE_URL'] ?? own?.url ?? '';
  const { url, pooling } = reached(databaseUrl);
  const settings = { DEMO: '1', LOG_LEVEL: 'silent', ...LONG_TIMEOUTS, ...NO_KEY_LIMIT, DATABASE_POOLING: pooling };
  const env = { ...settings, ...(await freePorts()), ...given, DATABASE_URL: url };
  return {
    env,
    addresses: {
      url: `http://127.0.0.1:${env.HTTP_PORT}`,
      grpcTarget: `127.0.0.1:${env.GRPC_PORT}`,
      servicesUrl: `http://127.0.0.1:${env.SERVICES_PORT}`,
      databaseUrl,
    },
    drop: async () => own?.drop(),
  };
}

/**
 * Starts a service in a host (host.mjs).
 * @param {string} host its URL
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<() => Promise<void>>} stops it
 * @throws what kept it from starting
 */
export async function startInHost(host, env) {
  const id = await order(`${host}/services`, { method: 'POST', body: JSON.stringify(env) });
  return async () => void (await order(`${host}/${id}`, { method: 'DELETE' }));
}

/**
 * Sends an order to a host.
 * @param {string} url
 * @param {RequestInit} request
 */
export async function order(url, request) {
  const answer = await fetch(url, request);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}
