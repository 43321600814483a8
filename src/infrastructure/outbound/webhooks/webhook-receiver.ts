import { createHmac } from 'node:crypto';
import type { OutboxMessage } from '../../../application/notice-ports.js';
import type { NoticeReceiver } from '../../../application/ports.js';
import type { WebhookConfig } from '../../../config/notices/webhook-config.js';
import { Posts } from './posts.js';

/** The platform's receiver of Standard Webhooks (standardwebhooks.com). */
export class WebhookReceiver implements NoticeReceiver {
  private readonly posts: Posts;

  constructor(
    private readonly config: WebhookConfig,
    timeoutMs?: number,
  ) {
    this.posts = new Posts(timeoutMs);
  }

  async deliver({ id, type, timestamp, data }: OutboxMessage): Promise<void> {
    const body = JSON.stringify({ type, timestamp: timestamp.toISOString(), data });
    // Of this try, since receivers refuse what is old.
    const sentAt = String(Math.floor(Date.now() / 1000));
    const status = await this.posts.send(this.config.url, body, {
      'content-type': 'application/json',
      'user-agent': 'Latchkey',
      'webhook-id': id,
      'webhook-timestamp': sentAt,
      'webhook-signature': this.sign(`${id}.${sentAt}.${body}`),
    });
    if (status >= 200 && status < 300) return;
    throw new Error(`it answered ${status}${status >= 300 && status < 400 ? ', and no redirect is followed' : ''}`);
  }

  /** Ends what is under way. */
  close(): void {
    this.posts.close();
  }

  /** By each secret, with blanks between: a receiver looks for one that it knows. */
  private sign(content: string): string {
    const macs = this.config.secrets.map((secret) => createHmac('sha256', secret).update(content).digest('base64'));
    return macs.map((mac) => `v1,${mac}`).join(' ');
  }
}
