import {
  channelsOf,
  type NoticeReceivers,
  DUE_NOTICE_TYPES,
  type DueNoticeType,
} from '../../domain/notices/key-notice.js';
import { DUE_NOTICES, noticeDaysOf, type NoticeDays } from '../../domain/notices/due-notices.js';
import { inBatches } from '../keys/record-due-ends.js';
import type { DueKeys, NoticeDecision, NotifyOfNetworks } from '../ports.js';

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

/** Notifies owners when their key was granted from a new network. */
export const notifyOfNetworks: NotifyOfNetworks = async ({ uses, networks, findKeys }) => {
  const fresh = uses.filter(({ keyId, network, day }) => networks.get(keyId)!.grantedFrom(network, day));
  if (fresh.length === 0) return [];
  const keys = new Map((await findKeys(fresh.map(({ keyId }) => keyId))).map((key) => [key.id, key]));
  return fresh.map(({ keyId, clientIp }) => ({
    type: 'api_key.used_from_new_network',
    key: keys.get(keyId)!,
    clientIp,
  }));
};
