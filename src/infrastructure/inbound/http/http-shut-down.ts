import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { shutDown } from '../shared/shut-down.js';

/**
 * Must be called before the server listens.
 * @returns what shuts it down: requests under way are answered, connections without one are closed at once, and a client that
 *   takes too long is cut off. Node would wait without end for a connection that has never brought a request, of which
 *   proxies keep some open.
 */
export function httpShutDown(server: Server): () => Promise<void> {
  const unused = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    unused.delete(socket);
    response.once('close', () => {
      if (!server.listening) server.closeIdleConnections();
    });
  });
  const close = (done: () => void) => {
    server.close(done);
    for (const socket of unused) socket.destroy();
  };
  return () => shutDown(close, () => server.closeAllConnections());
}
