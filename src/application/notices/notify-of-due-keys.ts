import { channelsOf, type NoticeReceivers } from '../../domain/notices/channel.js';
import { DUE_NOTICES, noticeDaysOf, type NoticeDays } from '../../domain/notices/due-notices.js';
import { DUE_NOTICE_TYPES, type DueNoticeType } from '../../domain/notices/key-notice.js';
import { inBatches } from '../in-batches.js';
import type { DueKeys, NoticeDecision } from '../ports.js';

/**
 * Writes the notices that have become due. A notice without a receiver is not written. It stays due until a receiver is
 * configured.
 */
export class NotifyOfDueKeys {
  private readonly noticeDays: NoticeDays;

  constructor(
    private readonly dueKeys: DueKeys,
    expiryNoticeDays: readonly number[],
    private readonly receivers: NoticeReceivers,
  ) {
    this.noticeDays = noticeDaysOf(expiryNoticeDays);
  }

  /** Several instances may do so at once. Returns how many notices this one wrote. */
  async execute(): Promise<number> {
    let written = 0;
    for (const type of DUE_NOTICE_TYPES) {
      if (channelsOf(type, this.receivers).length === 0) continue;
      const days = this.noticeDays[type];
      // One after the other, because each holds a connection.
      // oxlint-disable-next-line no-await-in-loop
      written += await inBatches((limit) => this.dueKeys.notify({ type, days, limit }, dueNotices(type, days)));
    }
    return written;
  }
}

export function dueNotices(type: DueNoticeType, days: readonly number[]): NoticeDecision {
  return (candidates, now) => candidates.flatMap((candidate) => DUE_NOTICES[type](candidate, days, now) ?? []);
}
