import type { Account } from '../../domain/accounts/account.js';
import type { Accounts, ApiKeys } from '../ports.js';
import type { OutboxMessage } from '../notice-ports.js';

/** Whom a mail about a key goes to, as of now. */
export interface Addressee {
  readonly account: Account;
  readonly now: Date;
  /** Whether the key has a successor, which nobody has used yet. */
  readonly isReplaced: boolean;
}

export class Addressees {
  constructor(
    private readonly accounts: Accounts,
    private readonly keys: ApiKeys,
  ) {}

  /**
   * The key's owner, unless they are not to have the mail any more. What has happened to a key is told to a suspended
   * owner too; what is going to happen only to one who can do something, and only while it is.
   */
  async of({ type, data }: OutboxMessage): Promise<Addressee | undefined> {
    const [account, read] = await Promise.all([
      this.accounts.find(data.ownerId),
      // The key of an account that was purged is not that of the one that has its id by now.
      this.keys.findOwn(data.ownerId, data.keyId),
    ]);
    if (!account || !read || account.status === 'deleted') return undefined;
    const { key, now } = read;
    const { replacedBy, endsAt } = key.snapshot();
    const isComing = account.isActive && key.status(now) === 'active' && !endsAt;
    if (type === 'api_key.expiring' && !isComing) return undefined;
    const successor = replacedBy ? await this.keys.find(replacedBy) : undefined;
    return { account, now, isReplaced: successor?.status(now) === 'active' };
  }
}
