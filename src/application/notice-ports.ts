import type { NoticeChannel, NoticeData, NoticeType } from '#domain/notices/key-notice.js';

/** Notices about keys that still have to be delivered, for each channel separately. */
export interface Outbox {
  /** Claims messages whose next attempt is due, oldest first. Skips messages that another sender has claimed. */
  claim(channel: NoticeChannel, limit: number): Promise<Claim[]>;
  /** The receiver accepted the message, which is then deleted. */
  delivered(claim: Claim): Promise<void>;
  /** Does nothing if the claim has run out. @param pauseMs until the next attempt; undefined gives the message up */
  failed(claim: Claim, why: string, pauseMs: number | undefined): Promise<void>;
  /**
   * Makes messages due now that were tried and wait for a later attempt, if `isTriedSooner` says so: those that are due
   * soonest, but not within `SOON_MS`. Returns how many.
   */
  makeDue(channel: NoticeChannel, limit: number): Promise<number>;
  /** The attempt was cut off. Any sender may claim the message again. */
  release(claim: Claim): Promise<void>;
}

/** For the people who run the service: shows undelivered messages and retries them. */
export interface UndeliveredNotices {
  backlog(): Promise<Record<NoticeChannel, Backlog>>;
  /** The messages that wait, or those that were given up. Oldest first. */
  list(isFailed: boolean, limit: number): Promise<UndeliveredMessage[]>;
  /** Makes one message due now, or without an id all that were given up. Returns how many. */
  retry(id: string | undefined): Promise<number>;
}

export interface NoticeReceiver {
  /** Throws a NotAccepted with a readable reason when the message was not accepted. @param signal ends the attempt */
  deliver(message: OutboxMessage, signal: AbortSignal): Promise<void>;
}

export interface NotAccepted extends Error {
  /** How long the receiver wants no further message. */
  readonly retryAfterMs?: number | undefined;
}

/** What a receiver gets. It is the same in every attempt. */
export interface OutboxMessage {
  /** Lets receivers recognise a message that they already have. */
  readonly id: string;
  readonly type: NoticeType;
  readonly timestamp: Date;
  /** The manager of the owner whom a mail goes to. Null for the owner, and for webhooks. */
  readonly recipient: string | null;
  readonly data: NoticeData;
}

/** A message that no other sender gets until the claim runs out. */
export interface Claim {
  readonly message: OutboxMessage;
  /** Failed attempts. */
  readonly tries: number;
  /** How long ago it was written, or retried by hand. */
  readonly ageMs: number;
  readonly until: Date;
}

export interface UndeliveredMessage extends OutboxMessage {
  readonly channel: NoticeChannel;
  readonly tries: number;
  /** Null once the message is given up. */
  readonly nextTryAt: Date | null;
  readonly failedAt: Date | null;
  readonly lastError: string | null;
}

/** Of one channel. */
export interface Backlog {
  readonly waiting: number;
  /** Messages that were given up and are still stored. */
  readonly failed: number;
  /** The age of the oldest waiting message; 0 when none waits. */
  readonly oldestSeconds: number;
}
