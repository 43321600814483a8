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
  /** How often it was sent in vain. */
  readonly tries: number;
  readonly until: Date;
}
