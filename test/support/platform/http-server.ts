import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type HttpServer = Awaited<ReturnType<typeof serve>>;

/** A server on a loopback port of its own. */
export async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
  host = '127.0.0.1',
) {
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    try {
      await answer(request, response);
    } catch {
      // The client has gone before its request was read.
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    /** Closes the connections of all callers that wait for an answer. */
    hangUp: () => server.closeAllConnections(),
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
