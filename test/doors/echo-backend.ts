import { createHash } from 'node:crypto';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The headers that it exposes to pages of other origins by itself. */
export const OWN_HEADER = 'X-Total';

/** RFC 6455, 4.2.2 */
const WEBSOCKET_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/**
 * A service that knows nothing about keys: it answers with the request that it received. It accepts every upgrade that
 * a client requests, and then echoes what it receives.
 */
export class EchoBackend {
  readonly seen: Seen[] = [];
  /** The requests for an upgrade, after which no proxy reads what is sent. */
  readonly tunnels: Seen[] = [];
  /** Answers that have begun. */
  readonly streams: ServerResponse[] = [];
  private readonly tunnelSockets = new Set<Duplex>();

  private constructor(private readonly server: Server) {}

  /** @param isUser the service's own check, for requests without an owner of a key; without it, all are answered */
  static async start(isUser?: (authorization: string | undefined) => Promise<boolean>): Promise<EchoBackend> {
    const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const seen = asSeen(request, body);
      backend.seen.push(seen);
      const { 'x-latchkey-owner': owner, authorization } = seen.headers;
      if (seen.url.endsWith('/events')) {
        // Buffering proxies do not hold back what says so.
        response.setHeader('Content-Type', 'text/event-stream').setHeader('X-Accel-Buffering', 'no');
        response.write('data: 1\n\n');
        backend.streams.push(response);
        return;
      }
      const isStranger = isUser && owner === undefined && !(await isUser(authorization));
      if (isStranger) response.statusCode = 401;
      const text = JSON.stringify(isStranger ? { from: 'the platform' } : seen);
      response.setHeader('Access-Control-Expose-Headers', OWN_HEADER);
      response.setHeader('Content-Type', 'application/json').setHeader('Content-Length', text.length).end(text);
    });
    const backend = new EchoBackend(server);
    server.on('upgrade', (request, socket) => backend.changeProtocol(request, socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return backend;
  }

  get address(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
    for (const socket of this.tunnelSockets) socket.destroy();
  }

  private changeProtocol(request: IncomingMessage, socket: Duplex): void {
    this.tunnels.push(asSeen(request, ''));
    this.tunnelSockets.add(socket);
    socket.on('error', () => socket.destroy());
    const key = request.headers['sec-websocket-key'];
    const accept = key && createHash('sha1').update(`${key}${WEBSOCKET_GUID}`).digest('base64');
    const headers = ['Connection: Upgrade', `Upgrade: ${request.headers.upgrade}`];
    if (accept) headers.push(`Sec-WebSocket-Accept: ${accept}`);
    socket.write(['HTTP/1.1 101 Switching Protocols', ...headers, '', ''].join('\r\n'));
    socket.pipe(socket);
  }
}

function asSeen({ method, url, headers }: IncomingMessage, body: string): Seen {
  return { method: method!, url: url!, headers, body };
}
