import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { listen, type PortVariable, shutDown } from './listening.js';

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
const KEEP_ALIVE_MS = 75_000;

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

/** An HTTP server on a port that operators may leave out. */
export class HttpListener {
  /** Node would wait forever for a connection that has never sent a request, and proxies keep such connections open. */
  private readonly unused = new Set<Socket>();

  /** @param port of this variable; undefined: it does not listen */
  constructor(
    private readonly server: Server,
    private readonly variable: PortVariable,
    private readonly port: number | undefined,
    private readonly host: string,
  ) {
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.unused.add(socket);
      socket.once('close', () => this.unused.delete(socket));
    });
    server.on('request', ({ socket }, response) => {
      this.unused.delete(socket);
      response.once('close', () => {
        if (!server.listening) server.closeIdleConnections();
      });
    });
  }

  /** @throws the port is taken */
  async open(): Promise<void> {
    if (this.port !== undefined) await listen(this.server, this.variable, this.port, this.host);
  }

  /** Answers requests in progress, closes idle connections, and cuts off a client that takes too long. */
  close(): Promise<void> {
    const close = (done: () => void) => {
      this.server.close(done);
      for (const socket of this.unused) socket.destroy();
    };
    return shutDown(close, () => this.server.closeAllConnections());
  }
}
