import { Webhook } from 'standardwebhooks';
import type { OutboxMessage } from '../../../application/notice-ports.js';
import type { NoticeReceiver } from '../../../application/ports.js';
import type { WebhookConfig } from '../../../config/notices/webhook-config.js';
import { Posts } from './posts.js';

/** The platform's receiver of Standard Webhooks (standardwebhooks.com). */
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
    // Of this try, since receivers refuse what is old.
    const sentAt = new Date();
    const status = await this.posts.send(this.config.url, body, {
      'content-type': 'application/json',
      'user-agent': 'Latchkey',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
      // By each secret, with blanks between: a receiver looks for one that it knows.
      'webhook-signature': this.signers.map((signer) => signer.sign(id, sentAt, body)).join(' '),
    });
    if (status >= 200 && status < 300) return;
    throw new Error(`it answered ${status}${status >= 300 && status < 400 ? ', and no redirect is followed' : ''}`);
  }

  /** Ends what is under way. */
  close(): void {
    this.posts.close();
  }
}
