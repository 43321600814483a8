import type { NoticeChannel } from '../domain/notices/channel.js';
import type { NoticeData, NoticeType } from '../domain/notices/key-notice.js';

/** What telling others of keys asks for from the outside: see ports.ts, which has them too. */

/** What happened to keys, on its way to those who are to be told; each channel by itself. */
export interface Outbox {
  /** Messages whose next try is due, the oldest first, passing over those that another sender has claimed. */
  claim(channel: NoticeChannel, limit: number): Promise<Claim[]>;
  /** It was taken, and is forgotten. */
  delivered(claim: Claim): Promise<void>;
  /**
   * It was tried in vain. Changes nothing once the claim has run out and another sender has it.
   * @param pauseMs until it is tried again; undefined: it is given up
   */
  failed(claim: Claim, why: string, pauseMs: number | undefined): Promise<void>;
  /** It was not tried to the end: anybody may. */
  release(claim: Claim): Promise<void>;
}

/** What the people who run the service see of the outbox, and do about it. */
export interface UndeliveredNotices {
  backlog(): Promise<Record<NoticeChannel, Backlog>>;
  /** What is not delivered, the oldest first. */
  list(isFailed: boolean, limit: number): Promise<UndeliveredMessage[]>;
  /** Makes one due now, whether it waits or was given up, or all that were given up. Answers how many. */
  retry(id: string | undefined): Promise<number>;
}

/** Where a channel leads. */
export interface NoticeReceiver {
  /** Throws an Error with a reason in words when the message was not taken. Ends within 20 seconds. */
  deliver(message: OutboxMessage): Promise<void>;
}

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
