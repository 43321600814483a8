import type { Account } from '../../domain/accounts/account.js';
import type { Accounts, ApiKeys } from '../ports.js';
import type { OutboxMessage } from './outbox-message.js';

/** Whom a mail about a key goes to, as of now. */
export interface Addressee {
  readonly account: Account;
  readonly now: Date;
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
    if (type === 'api_key.expiring' && !(account.isActive && key.status(now) === 'active')) return undefined;
    return { account, now };
  }
}
