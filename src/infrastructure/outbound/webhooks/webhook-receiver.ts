import { Webhook } from 'standardwebhooks';
import type { OutboxMessage, NoticeReceiver } from '#application/notice-ports.js';
import type { Config } from '#config/config.js';

/** Sends notices to the platform's receiver of Standard Webhooks (standardwebhooks.com). */
export class WebhookReceiver implements NoticeReceiver {
  private readonly signers: readonly Webhook[];

  constructor(private readonly config: NonNullable<Config['webhook']>) {
    this.signers = config.secrets.map((secret) => new Webhook(secret.export(), { format: 'raw' }));
  }

  async deliver({ id, type, timestamp, data }: OutboxMessage, signal: AbortSignal): Promise<void> {
    const body = JSON.stringify({ type, timestamp: timestamp.toISOString(), data });
    // The time of this attempt, because receivers refuse old timestamps.
    const sentAt = new Date();
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Latchkey',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
      // One signature for each secret, separated by spaces. A receiver accepts one that it can verify.
      'webhook-signature': this.signers.map((signer) => signer.sign(id, sentAt, body)).join(' '),
      // The receiver may be about to close an earlier connection.
      connection: 'close',
    };
    const request = { method: 'POST', headers, body, redirect: 'manual', signal } as const;
    const answer = await fetch(this.config.url, request).catch(({ cause }: Error) => {
      const { code = 'fetch failed' } = (cause ?? {}) as NodeJS.ErrnoException;
      // The message may repeat the address, which may contain a token.
      throw new Error(`it could not be reached (${code})`);
    });
    await answer.body?.cancel();
    const { status } = answer;
    if (status >= 200 && status < 300) return;
    const more = status >= 300 && status < 400 ? ', and redirects are not followed' : '';
    const retryAfterMs = retryAfterMsIn(answer.headers.get('retry-after') ?? '');
    throw Object.assign(new Error(`it answered ${status}${more}`), { retryAfterMs });
  }
}

/** In seconds, or as a time (RFC 9110, 10.2.3). */
function retryAfterMsIn(text: string): number | undefined {
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return ms > 0 ? ms : undefined;
}
