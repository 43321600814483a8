import {
  channelsOf,
  COMING,
  DUE_NOTICE_TYPES,
  type DueNoticeType,
  type NoticeReceivers,
  UNTIL_USED,
} from '#domain/notices/key-notice.js';
import { dueNotice, noticeDays } from '#domain/notices/due-notices.js';
import { inBatches } from '../keys/record-due-ends.js';
import type { Accounts } from '../account-ports.js';
import type { DueKeys, NoticeDecision, NotifyOfNetworks, ApiKeys } from '../key-ports.js';
import type { Account } from '#domain/accounts/account.js';
import type { ApiKey } from '#domain/keys/api-key.js';
import type { OutboxMessage } from '../notice-ports.js';

/** Writes the notices that have become due. One without a receiver stays due until a receiver is configured. */
export class NotifyOfDueKeys {
  constructor(
    private readonly dueKeys: DueKeys,
    private readonly expiryNoticeDays: readonly number[],
    private readonly receivers: NoticeReceivers,
  ) {}

  /** Several instances may do so at once. Returns how many notices this one wrote. */
  async execute(): Promise<number> {
    let written = 0;
    for (const type of DUE_NOTICE_TYPES) {
      if (channelsOf(type, this.receivers).length === 0) continue;
      const days = noticeDays(type, this.expiryNoticeDays);
      // One after the other, because each holds a connection.
      written += await inBatches((limit) => this.dueKeys.notify({ type, days, limit }, dueNotices(type, days)));
    }
    return written;
  }
}

export function dueNotices(type: DueNoticeType, days: readonly number[]): NoticeDecision {
  return (candidates, now) => candidates.flatMap((candidate) => dueNotice(type, candidate, days, now) ?? []);
}

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

/** Who gets a mail about a key, as of now. */
export interface Addressee {
  readonly account: Account;
  /** Of the key. The addressee, or a service account that the addressee manages. */
  readonly owner: Account;
  /** Who made the key: the owner, or a manager. Without a name after a purge. */
  readonly maker: Pick<Account, 'id' | 'displayName'>;
  readonly now: Date;
  /** Whether the key has a successor that nobody has used yet. */
  readonly isReplaced: boolean;
  readonly replaced: ApiKey | undefined;
}

export class Addressees {
  constructor(
    private readonly accounts: Accounts,
    private readonly keys: ApiKeys,
  ) {}

  /**
   * The owner of the key or the manager, or undefined if they must no longer get this mail. Suspended owners still get
   * mails about what has happened. Mails about what will happen are sent only while the owner's keys work, and only
   * until then, and that about an idle key only until it is used. Managers get mails only while they may see the account.
   */
  async of({ type, data, recipient, timestamp }: OutboxMessage): Promise<Addressee | undefined> {
    const [owner, account, read] = await Promise.all([
      this.accounts.find(data.ownerId),
      this.accounts.find(recipient ?? data.ownerId),
      // When an account was purged and its id reused, this key does not belong to the new account.
      this.keys.findListed(data.keyId, data.ownerId),
    ]);
    if (!owner || !account?.email || !read || owner.status === 'deleted') return undefined;
    if (recipient !== null && !owner.isManagedBy(account)) return undefined;
    const { key, now } = read;
    const { replacedBy, endsAt } = key.snapshot();
    const isComing = owner.isActive && key.status(now) === 'active' && !endsAt;
    if (COMING.has(type) && !isComing) return undefined;
    if (UNTIL_USED.has(type) && read.lastUsedAt && read.lastUsedAt >= timestamp) return undefined;
    const [maker, successor, replaced] = await Promise.all([
      this.accounts.find(key.createdBy),
      ...[replacedBy, data.replacesKeyId].map((id) => (id ? this.keys.find(id) : undefined)),
    ]);
    const isReplaced = successor?.status(now) === 'active';
    return { account, owner, maker: maker ?? { id: key.createdBy, displayName: '' }, now, isReplaced, replaced };
  }
}
