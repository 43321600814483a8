import { channelsOf, type NoticeReceivers } from '../../domain/notices/channel.js';
import { dueExpiryNotice } from '../../domain/notices/coming-expiry.js';
import type { KeyNotice, NoticeType } from '../../domain/notices/key-notice.js';
import { isRotationUnused } from '../../domain/notices/rotation-unused.js';
import { inBatches } from '../in-batches.js';
import type { DueKeys, ExpiringKey, ExpiryNotice, ExpiryWindow, UnusedSuccessor } from '../ports.js';

/**
 * Writes the notices that have become due. A notice without a receiver is not written. It stays due until a receiver is
 * configured.
 */
export class NotifyOfDueKeys {
  constructor(
    private readonly dueKeys: DueKeys,
    private readonly noticeDays: readonly number[],
    private readonly receivers: NoticeReceivers,
  ) {}

  /** Several instances may do so at once. Returns how many notices this one wrote. */
  async execute(): Promise<number> {
    let written = 0;
    const days = this.hasReceiver('api_key.expiring') ? Math.max(0, ...this.noticeDays) : 0;
    for (let day = 1; day <= days; day += 1) written += await this.ofExpiries(day);
    if (this.hasReceiver('api_key.rotation_unused')) {
      written += await inBatches((limit) => this.dueKeys.notifyOfUnusedRotation(limit, rotationNotices));
    }
    return written;
  }

  private ofExpiries(day: number): Promise<number> {
    const { dueKeys, noticeDays } = this;
    return inBatches((limit) =>
      dueKeys.notifyOfExpiry(expiryWindow(noticeDays, day, limit), expiryNotices(noticeDays)),
    );
  }

  private hasReceiver(type: NoticeType): boolean {
    return channelsOf(type, this.receivers).length > 0;
  }
}

/** @param noticeDays at least one of them is `day` or more */
export function expiryWindow(noticeDays: readonly number[], day: number, limit: number): ExpiryWindow {
  return { day, noticeDays: Math.min(...noticeDays.filter((days) => days >= day)), limit };
}

export function expiryNotices(noticeDays: readonly number[]) {
  return (due: readonly ExpiringKey[], now: Date): ExpiryNotice[] =>
    due.flatMap(({ key, notifiedDays }) => {
      const days = dueExpiryNotice(key.snapshot(), noticeDays, notifiedDays, now);
      return days === undefined ? [] : [{ notice: { type: 'api_key.expiring', key }, notifiedDays: days }];
    });
}

export function rotationNotices(due: readonly UnusedSuccessor[], now: Date): KeyNotice[] {
  return due
    .filter(({ successor, replaced, isNotified }) => !isNotified && isRotationUnused(successor, replaced, now))
    .map(({ successor: key, replaced }) => ({ type: 'api_key.rotation_unused', key, replacesKeyId: replaced.id }));
}
