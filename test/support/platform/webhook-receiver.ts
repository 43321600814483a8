import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { type HttpServer, serve } from './http-server.js';

interface Delivery {
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

export const answering =
  (status: number, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) =>
    void response.writeHead(status, headers).end();
export const ACCEPTS = answering(204);
export const HANGS: Answer = () => undefined;

/** A receiver of Standard Webhooks as a platform would write one, on a port of its own. */
export class WebhookServer {
  static readonly SECRET = `whsec_${Buffer.alloc(32, 'a test signs with this').toString('base64')}`;
  /** Everything that has come, accepted or not. */
  readonly deliveries: Delivery[] = [];
  answer: Answer = ACCEPTS;
  private server!: HttpServer;

  static async start(): Promise<WebhookServer> {
    const receiver = new WebhookServer();
    receiver.server = await serve(async (request, response) => {
      const { headers } = request;
      const delivery = { id: String(headers['webhook-id']), headers, body: await text(request) };
      receiver.deliveries.push(delivery);
      receiver.answer(response, delivery);
    });
    return receiver;
  }

  get url(): string {
    return `${this.server.url}/webhooks`;
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
    this.server.hangUp();
  }

  stop(): Promise<void> {
    return this.server.stop();
  }
}

/** Throws unless the signature is good. */
export function verified({ body, headers }: Delivery, secret = WebhookServer.SECRET): WebhookEvent {
  return new Webhook(secret).verify(body, headers as Record<string, string>) as WebhookEvent;
}
