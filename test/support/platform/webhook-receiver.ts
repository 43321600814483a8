import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export interface Delivery {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}
export interface WebhookEvent {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>> & { readonly keyId: string; readonly sequence: number };
}
type Answer = (response: ServerResponse, delivery: Delivery) => void;

export const ACCEPTS: Answer = (response) => void response.writeHead(204).end();
export const HANGS: Answer = () => undefined;
export const answering =
  (status: number, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) =>
    void response.writeHead(status, headers).end();

/** A receiver of Standard Webhooks as a platform would write one, on a port of its own. */
export class WebhookServer {
  static readonly SECRET = `whsec_${Buffer.alloc(32, 'a test signs with this').toString('base64')}`;
  /** Everything that has come, accepted or not. */
  readonly deliveries: Delivery[] = [];
  answer: Answer = ACCEPTS;

  private constructor(
    private readonly server: Server,
    private readonly port: number,
  ) {
    this.serve(server);
  }

  /** @param port of an earlier receiver, to start again on the same port */
  static async start(port = 0): Promise<WebhookServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return new WebhookServer(server, (server.address() as AddressInfo).port);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/webhooks`;
  }

  /** The environment of a service that sends its notices here. */
  get env() {
    return { WEBHOOK_URL: this.url, WEBHOOK_SECRET: WebhookServer.SECRET };
  }

  /** The notices about a key, each as verified by the library. */
  noticesAbout(keyId: string): WebhookEvent[] {
    return this.deliveries.map((one) => verified(one)).filter(({ data }) => data.keyId === keyId);
  }

  /** Closes the connections of all senders that wait for an answer. */
  hangUp(): void {
    this.server.closeAllConnections();
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  private serve(server: Server): void {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { headers } = request;
        const delivery = { id: String(headers['webhook-id']), headers, body: Buffer.concat(chunks).toString() };
        this.deliveries.push(delivery);
        this.answer(response, delivery);
      });
    });
  }
}

/** Throws unless the signature is good. */
export function verified({ body, headers }: Delivery, secret = WebhookServer.SECRET): WebhookEvent {
  return new Webhook(secret).verify(body, headers as Record<string, string>) as WebhookEvent;
}
