import { Webhook } from 'standardwebhooks';
import type { OutboxMessage, NoticeReceiver } from '#application/notice-ports.js';
import type { Config } from '#config/config.js';

const TIMEOUT_MS = 10_000;

/** Sends notices to the platform's receiver of Standard Webhooks (standardwebhooks.com). */
export class WebhookReceiver implements NoticeReceiver {
  private readonly signers: readonly Webhook[];
  private readonly underWay = new Set<AbortController>();

  /** @param timeoutMs within which the status must arrive */
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
    const { status, headers } = await this.post(body, {
      'content-type': 'application/json',
      'user-agent': 'Latchkey',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
      // One signature for each secret, separated by spaces. A receiver accepts one that it can verify.
      'webhook-signature': this.signers.map((signer) => signer.sign(id, sentAt, body)).join(' '),
    });
    if (status >= 200 && status < 300) return;
    const more = status >= 300 && status < 400 ? ', and redirects are not followed' : '';
    const retryAfterMs = retryAfterMsIn(headers.get('retry-after') ?? '');
    throw Object.assign(new Error(`it answered ${status}${more}`), { retryAfterMs });
  }

  /** Aborts requests that are still running. */
  close(): void {
    for (const request of this.underWay) request.abort(new Error('the service ended'));
  }

  /** Over a connection of its own: the receiver may be about to close an earlier one. Rejects with the reason in words. */
  private async post(body: string, headers: Record<string, string>): Promise<Response> {
    const request = new AbortController();
    const late = new Error(`it did not answer within ${this.timeoutMs / 1000} seconds`);
    const timer = setTimeout(() => request.abort(late), this.timeoutMs);
    this.underWay.add(request);
    try {
      const answer = await fetch(this.config.url, {
        method: 'POST',
        redirect: 'manual',
        headers: { ...headers, connection: 'close' },
        body,
        signal: request.signal,
      }).catch(({ cause }: Error) => {
        const { code = 'fetch failed' } = (cause ?? {}) as NodeJS.ErrnoException;
        // The message may repeat the address, which may contain a token.
        throw request.signal.aborted ? request.signal.reason : new Error(`it could not be reached (${code})`);
      });
      await answer.body?.cancel();
      return answer;
    } finally {
      clearTimeout(timer);
      this.underWay.delete(request);
    }
  }
}

/** In seconds, or as a time (RFC 9110, 10.2.3). */
function retryAfterMsIn(text: string): number | undefined {
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return ms > 0 ? ms : undefined;
}
