import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { serve } from './http-server.js';

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
export const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 'a test signs with this').toString('base64')}`;

export type WebhookServer = Awaited<ReturnType<typeof startWebhookServer>>;

/** A receiver of Standard Webhooks as a platform would write one, on a port of its own. */
export async function startWebhookServer() {
  /** Everything that has come, accepted or not. */
  const deliveries: Delivery[] = [];
  const { url: origin, ...server } = await serve(async (request, response) => {
    const { headers } = request;
    const delivery = { id: String(headers['webhook-id']), headers, body: await text(request) };
    deliveries.push(delivery);
    receiver.answer(response, delivery);
  });
  const url = `${origin}/webhooks`;
  const receiver = {
    ...server,
    url,
    deliveries,
    answer: ACCEPTS,
    /** The environment of a service that sends its notices here. */
    env: { WEBHOOK_URL: url, WEBHOOK_SECRET },
    /** The notices about a key, each as verified by the library. */
    noticesAbout: (keyId: string) =>
      deliveries.map((delivery) => verified(delivery)).filter(({ data }) => data.keyId === keyId),
  };
  return receiver;
}

/** Throws unless the signature is good. */
export function verified({ body, headers }: Delivery, secret = WEBHOOK_SECRET): WebhookEvent {
  return new Webhook(secret).verify(body, headers as Record<string, string>) as WebhookEvent;
}
