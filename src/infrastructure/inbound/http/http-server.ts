import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { cannotListen, shutDown } from '../shared/listening.js';
import { configureHttp, type HttpParts } from './http-app.js';

/**
 * Longer than proxies keep an unused connection (nginx and AWS load balancers: 60 s). After Node's own 5 seconds, we
 * could close a connection just as a proxy sends the next request on it, and the proxy's client would see a failure.
 */
const KEEP_ALIVE_MS = 75_000;

export class HttpServer {
  private readonly shutDown: () => Promise<void>;

  constructor(private readonly parts: HttpParts) {
    const server: Server = parts.app.getHttpServer();
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    this.shutDown = httpShutDown(server);
  }

  /** @throws the port is taken */
  async open(): Promise<void> {
    configureHttp(this.parts);
    const { app, config } = this.parts;
    const { httpPort, host } = config;
    await app.listen(httpPort, host).catch((error: unknown) => {
      throw cannotListen(error, 'HTTP_PORT', httpPort, host);
    });
  }

  /** Answers requests in progress. Nest itself would cut off every open request. */
  async close(): Promise<void> {
    await this.shutDown();
    await this.parts.app.close();
  }
}

/**
 * Call this before the server listens. Node would wait forever for a connection that has never sent a request, and
 * proxies keep such connections open.
 * @returns answers requests in progress, closes idle connections, and cuts off a client that takes too long
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
