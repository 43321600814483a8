import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A service that knows nothing of keys: it answers with the request that it got. */
export class EchoBackend {
  readonly seen: Seen[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<EchoBackend> {
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const seen = { method: request.method!, url: request.url!, headers: request.headers, body };
      backend.seen.push(seen);
      const text = JSON.stringify(seen);
      response.setHeader('Content-Type', 'application/json').setHeader('Content-Length', text.length).end(text);
    });
    const backend = new EchoBackend(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return backend;
  }

  get address(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
