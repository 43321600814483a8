import { Webhook } from 'standardwebhooks';
import type { OutboxMessage } from '../../../application/notice-ports.js';
import type { NoticeReceiver } from '../../../application/ports.js';
import type { WebhookConfig } from '../../../config/notices/webhook-config.js';
import { Posts } from './posts.js';

/** Sends notices to the platform's receiver of Standard Webhooks (standardwebhooks.com). */
export class WebhookReceiver implements NoticeReceiver {
  private readonly posts: Posts;
  private readonly signers: readonly Webhook[];

  constructor(
    private readonly config: WebhookConfig,
    timeoutMs?: number,
  ) {
    this.posts = new Posts(timeoutMs);
    this.signers = config.secrets.map((secret) => new Webhook(secret.export(), { format: 'raw' }));
  }

  async deliver({ id, type, timestamp, data }: OutboxMessage): Promise<void> {
    const body = JSON.stringify({ type, timestamp: timestamp.toISOString(), data });
    // The time of this attempt, because receivers refuse old timestamps.
    const sentAt = new Date();
    const status = await this.posts.send(this.config.url, body, {
      'content-type': 'application/json',
      'user-agent': 'Latchkey',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
      // One signature for each secret, separated by spaces. A receiver accepts one that it can verify.
      'webhook-signature': this.signers.map((signer) => signer.sign(id, sentAt, body)).join(' '),
    });
    if (status >= 200 && status < 300) return;
    throw new Error(`it answered ${status}${status >= 300 && status < 400 ? ', and no redirect is followed' : ''}`);
  }

  /** Aborts requests that are still running. */
  close(): void {
    this.posts.close();
  }
}
