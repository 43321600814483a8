import type { AddressInfo } from 'node:net';
import { createGuard } from '@latchkey/guard';
import { readConfig } from './config.js';
import { createSystemsApi, systemsPath } from './systems-api.js';

/** The part of its process that this service needs; a test passes its own. */
export type Host = Pick<NodeJS.Process, 'env' | 'once'> &
  Partial<Pick<NodeJS.Process, 'send' | 'connected' | 'disconnect'>>;

/** How long open requests may take after the signal to stop. */
const graceMs = 5000;

/**
 * Starts the service and resolves with its address once it listens. It stops on SIGTERM, on SIGINT, and when the
 * process that started it ends.
 *
 * @throws {Error} a bad configuration, or an address in use
 */
export async function run(host: Host): Promise<string> {
  const config = readConfig(host.env);
  // Checks busy keys without a call where Latchkey runs with LEASE_MS.
  const guard = createGuard({ target: config.latchkeyTarget, serviceToken: config.serviceToken, leases: true });
  const server = createSystemsApi(guard).listen(config.port, config.host);

  const stop = () => {
    server.close(() => guard.close());
    setTimeout(() => server.closeAllConnections(), graceMs).unref();
    // This listener keeps the process alive until the parent ends. If the parent has ended already, there is nothing to
    // close.
    if (host.connected) host.disconnect?.();
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const) host.once(signal, stop);

  await new Promise((resolve, reject) => {
    server.once('listening', resolve);
    server.once('error', (error) => {
      guard.close();
      reject(error);
    });
  });
  host.send?.({ ready: true });
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}${systemsPath}`;
}
