import type { Server } from 'node:net';

/** A failure to listen, explained in one line to the operator. */
class CannotListen extends Error {}

type PortVariable = 'HTTP_PORT' | 'GRPC_PORT' | 'SERVICES_PORT' | 'METRICS_PORT' | 'EDGE_PORT';

/** Turns a socket's error, even one wrapped by a library, into one that names the variable to change. */
export function cannotListen(error: unknown, variable: PortVariable, port: number, host: string): Error {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const met = /EADDRINUSE|EACCES|EADDRNOTAVAIL|ENOTFOUND/.exec(`${code} ${message}`)?.[0];
  switch (met) {
    case undefined:
      return error as Error;
    case 'EADDRINUSE':
      return new CannotListen(`port ${port} is taken: set ${variable} to a free one`);
    case 'EACCES':
      return new CannotListen(`this user may not open port ${port}: set ${variable} to 1024 or higher`);
    default:
      return new CannotListen(
        `HOST=${host} is not an address of this machine (${met}): set HOST to one of its addresses`,
      );
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
