import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';

type PortVariable = 'HTTP_PORT' | 'GRPC_PORT' | 'SERVICES_PORT' | 'METRICS_PORT' | 'EDGE_PORT';

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
export function shutDown(close: (done: () => void) => void, cutOff: () => void, timeoutMs = TIMEOUT_MS): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(cutOff, timeoutMs);
    close(() => {
      clearTimeout(timer);
      resolve();
    });
  });
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

  /**
   * @param port of this variable; undefined: it does not listen
   * @param timeoutMs for requests in progress at the end
   */
  constructor(
    private readonly server: HttpServer,
    private readonly variable: PortVariable,
    private readonly port: number | undefined,
    private readonly host: string,
    private readonly timeoutMs = TIMEOUT_MS,
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
    return shutDown(close, () => this.server.closeAllConnections(), this.timeoutMs);
  }
}
