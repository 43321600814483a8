/** What keeps a door from listening, in one line for the person who starts it. */
class CannotListen extends Error {}

type PortVariable = 'HTTP_PORT' | 'GRPC_PORT' | 'METRICS_PORT';

/** Says of an error that a socket met with, whatever a library wrote around it, which variable to change. */
export function cannotListen(error: unknown, variable: PortVariable, port: number, host: string): Error {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const met = /EADDRINUSE|EACCES|EADDRNOTAVAIL|ENOTFOUND/.exec(`${code} ${message}`)?.[0];
  switch (met) {
    case undefined:
      return error as Error;
    case 'EADDRINUSE':
      return new CannotListen(`port ${port} is taken: set ${variable} to a free one`);
    case 'EACCES':
      return new CannotListen(`port ${port} may not be opened by this user: set ${variable} to one from 1024 up`);
    default:
      return new CannotListen(`HOST=${host} is no address of this machine (${met}): set HOST to one that is`);
  }
}
