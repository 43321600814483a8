import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { shutDown } from './listening.js';

/** Every value of a header. Node's `headers` keeps only the first of several Authorization headers. */
export function headerValues(request: Pick<IncomingMessage, 'rawHeaders'>, name: string): string[] {
  const { rawHeaders } = request;
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === name);
}

/** Whether the request announces a body, even if it never sends one. */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Longer than proxies keep an unused connection (nginx and AWS load balancers: 60 s). After Node's own 5 seconds, we
 * could close a connection just as a proxy sends the next request on it, and the proxy's client would see a failure.
 */
export const KEEP_ALIVE_MS = 75_000;

/** The most unread answers of one connection. Browsers and proxies wait for each answer. */
const MAX_UNREAD = 32;

const unread = new WeakMap<Socket, number>();

/**
 * Node accepts every request that has arrived, and keeps each answer until it is read. One client that keeps sending
 * and reads nothing would cost a gigabyte, so its connection is closed.
 */
export function refuseUnread({ socket }: IncomingMessage, response: ServerResponse, next: () => void): void {
  // Requests that arrived together with the last allowed one.
  if (socket.destroyed) return;
  const count = (unread.get(socket) ?? 0) + 1;
  unread.set(socket, count);
  response.once('close', () => unread.set(socket, unread.get(socket)! - 1));
  if (count > MAX_UNREAD) socket.destroy();
  else next();
}

/**
 * Call this before the server listens. Node would wait forever for a connection that has never sent a request, and
 * proxies keep such connections open.
 * @returns answers requests in progress, closes idle connections, and cuts off a client that takes too long
 */
export function httpShutDown(server: Server): () => Promise<void> {
  const unused = new Set<Socket>();
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
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
