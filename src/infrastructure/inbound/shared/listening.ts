import type { Server } from 'node:net';

export type PortVariable = 'HTTP_PORT' | 'GRPC_PORT' | 'SERVICES_PORT' | 'METRICS_PORT' | 'EDGE_PORT';

/** Turns a socket's error into one that names the variable to change. */
function cannotListen(error: NodeJS.ErrnoException, variable: PortVariable, port: number, host: string): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new Error(`port ${port} is taken: set ${variable} to a free one`);
    case 'EACCES':
      return new Error(`this user may not open port ${port}: set ${variable} to 1024 or higher`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new Error(
        `HOST=${host} is not an address of this machine (${error.code}): set HOST to one of its addresses`,
      );
    default:
      return error;
  }
}

/** @throws the port is taken, or cannot be opened here */
export function listen(server: Server, variable: PortVariable, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (error: Error) => reject(cannotListen(error, variable, port, host));
    server.once('error', refuse).listen(port, host, resolve);
  });
}

const TIMEOUT_MS = 5000;

/**
 * Lets work in progress end, and cuts off what takes too long.
 * @param close accepts nothing new, and calls back once everything has ended
 * @param cutOff ends the rest, after which `close` calls back too
 */
export function shutDown(close: (done: () => void) => void, cutOff: () => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(cutOff, TIMEOUT_MS);
    close(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
