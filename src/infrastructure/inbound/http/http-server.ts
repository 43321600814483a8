import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { cannotListen } from '../shared/listening.js';
import { shutDown } from '../shared/shut-down.js';
import { configureHttp, type HttpParts } from './http-app.js';

/**
 * Longer than proxies keep an unused connection (nginx and AWS load balancers: 60 s). After Node's own 5 seconds it would be
 * closed just as a proxy sends the next request on it, which the proxy's client sees as a failure.
 */
const KEEP_ALIVE_MS = 75_000;

/** The one HTTP server, with all doors. */
export class HttpServer {
  private readonly shutDown: () => Promise<void>;

  constructor(private readonly parts: HttpParts) {
    const server: Server = parts.app.getHttpServer();
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    this.shutDown = httpShutDown(server);
  }

  /** Listens. Throws when the port is taken. */
  async open(): Promise<void> {
    configureHttp(this.parts);
    const { app, config } = this.parts;
    const { httpPort, host } = config;
    await app.listen(httpPort, host).catch((error: unknown) => {
      throw cannotListen(error, 'HTTP_PORT', httpPort, host);
    });
  }

  /** Answers what is under way. Nest itself would cut off every request that is still open. */
  async close(): Promise<void> {
    await this.shutDown();
    await this.parts.app.close();
  }
}

/**
 * Must be called before the server listens.
 * @returns what shuts it down: requests under way are answered, connections without one are closed at once, and a client that
 *   takes too long is cut off. Node would wait without end for a connection that has never brought a request, of which
 *   proxies keep some open.
 */
function httpShutDown(server: Server): () => Promise<void> {
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
