import type { NoticeChannel } from '../../domain/notices/channel.js';
import type { NoticeData, NoticeType } from '../../domain/notices/key-notice.js';

/** What a receiver is given. All of it stays the same however often it is tried. */
export interface OutboxMessage {
  /** Receivers tell by it that they have had the message before. */
  readonly id: string;
  readonly type: NoticeType;
  /** When it was told. */
  readonly timestamp: Date;
  readonly data: NoticeData;
}

/** A message that no other sender is given until the claim runs out. */
export interface Claim {
  readonly message: OutboxMessage;
  /** How often it was tried in vain. */
  readonly tries: number;
  /** It has been tried for as long as messages are: this time is the last. */
  readonly isLastTry: boolean;
  readonly until: Date;
}

/** How a message stands that is not delivered. */
export interface UndeliveredMessage extends OutboxMessage {
  readonly channel: NoticeChannel;
  readonly tries: number;
  /** Null once it was given up. */
  readonly nextTryAt: Date | null;
  readonly failedAt: Date | null;
  readonly lastError: string | null;
}

/** What is not delivered, of one channel. */
export interface Backlog {
  readonly waiting: number;
  /** Given up, and still kept. */
  readonly failed: number;
  /** Since the oldest that waits was told; 0 when none waits. */
  readonly oldestSeconds: number;
}
