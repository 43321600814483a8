import type { Claim, UndeliveredMessage } from '../../../../application/notices/outbox-message.js';
import type { NoticeData, NoticeType } from '../../../../domain/notices/key-notice.js';
import type { OutboxRow } from './rows.js';

export interface ClaimedRow {
  readonly id: string;
  readonly type: NoticeType;
  readonly data: string;
  readonly told_at: Date;
  readonly tries: number;
  readonly claimed_until: Date;
  readonly is_last_try: boolean;
}

export function toClaim(row: ClaimedRow): Claim {
  const { id, type, tries } = row;
  return {
    message: { id, type, timestamp: row.told_at, data: JSON.parse(row.data) as NoticeData },
    tries,
    isLastTry: row.is_last_try,
    until: row.claimed_until,
  };
}

export function toUndelivered(row: OutboxRow): UndeliveredMessage {
  const { id, channel, type, toldAt, tries, nextTryAt, failedAt, lastError } = row;
  return {
    id,
    channel,
    type,
    timestamp: toldAt,
    data: JSON.parse(row.data) as NoticeData,
    tries,
    nextTryAt: failedAt ? null : nextTryAt,
    failedAt,
    lastError,
  };
}
