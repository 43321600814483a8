/** What telling others of keys asks for from the outside: see ports.ts, which has them too. */
import type { NoticeChannel } from '../domain/notices/channel.js';
import type { Backlog, Claim, OutboxMessage, UndeliveredMessage } from './notices/outbox-message.js';

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
