import http, {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import https from 'node:https';
import { Webhook } from 'standardwebhooks';
import type { OutboxMessage, NoticeReceiver } from '#application/notice-ports.js';
import type { Config } from '#config/config.js';

const TIMEOUT_MS = 10_000;
/** How much of an answer's body is read. Nobody uses it, but it lets the receiver finish normally. */
const MAX_BYTES = 16_384;

/** Sends notices to the platform's receiver of Standard Webhooks (standardwebhooks.com). */
export class WebhookReceiver implements NoticeReceiver {
  private readonly signers: readonly Webhook[];
  private readonly underWay = new Set<ClientRequest>();

  /** @param timeoutMs covers the whole exchange: the status must arrive within it, and so must the end of the body */
  constructor(
    private readonly config: NonNullable<Config['webhook']>,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {
    this.signers = config.secrets.map((secret) => new Webhook(secret.export(), { format: 'raw' }));
  }

  async deliver({ id, type, timestamp, data }: OutboxMessage): Promise<void> {
    const body = JSON.stringify({ type, timestamp: timestamp.toISOString(), data });
    // The time of this attempt, because receivers refuse old timestamps.
    const sentAt = new Date();
    const { statusCode: status = 0, headers } = await this.post(body, {
      'content-type': 'application/json',
      'user-agent': 'Latchkey',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
      // One signature for each secret, separated by spaces. A receiver accepts one that it can verify.
      'webhook-signature': this.signers.map((signer) => signer.sign(id, sentAt, body)).join(' '),
    });
    if (status >= 200 && status < 300) return;
    const more = status >= 300 && status < 400 ? ', and redirects are not followed' : '';
    throw Object.assign(new Error(`it answered ${status}${more}`), { retryAfterMs: retryAfterMs(headers) });
  }

  /** Aborts requests that are still running. */
  close(): void {
    for (const request of this.underWay) request.destroy(new Error('the service ended'));
  }

  /** Resolves with the head of the answer, over a connection of its own. Rejects with an Error that gives the reason in words. */
  private post(body: string, headers: OutgoingHttpHeaders): Promise<IncomingMessage> {
    const { url } = this.config;
    return new Promise((resolve, reject) => {
      const { request: open } = url.startsWith('https:') ? https : http;
      const length = Buffer.byteLength(body);
      const request = open(url, { method: 'POST', agent: false, headers: { ...headers, 'content-length': length } });
      this.underWay.add(request);
      const late = `it did not answer within ${this.timeoutMs / 1000} seconds`;
      const timer = setTimeout(() => request.destroy(new Error(late)), this.timeoutMs);
      request.once('close', () => {
        clearTimeout(timer);
        this.underWay.delete(request);
        reject(new Error('it closed the connection without an answer'));
      });
      request.on('error', (error: NodeJS.ErrnoException) => reject(reasonOf(error)));
      // Without a listener, Node closes the connection and reports neither an answer nor an error.
      request.once('upgrade', (response, socket) => {
        resolve(response);
        socket.destroy();
      });
      request.once('response', (response) => {
        resolve(response);
        let read = 0;
        response.on('data', (chunk: Buffer) => {
          read += chunk.length;
          if (read > MAX_BYTES) request.destroy();
        });
        // The status was already returned, so errors in the body do not matter.
        response.on('error', () => undefined);
      });
      request.end(body);
    });
  }
}

/** In seconds, or as a time (RFC 9110, 10.2.3). */
function retryAfterMs({ 'retry-after': text = '' }: IncomingHttpHeaders): number | undefined {
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return ms > 0 ? ms : undefined;
}

/** Uses the code where there is one, because the message repeats the address, which may contain a token. */
function reasonOf({ code, message }: NodeJS.ErrnoException): Error {
  return new Error(code ? `it could not be reached (${code})` : message);
}
