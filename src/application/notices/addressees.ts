import type { Account } from '../../domain/accounts/account.js';
import type { ApiKey } from '../../domain/keys/api-key.js';
import type { Accounts, ApiKeys } from '../ports.js';
import type { OutboxMessage } from '../notice-ports.js';

/** Who gets a mail about a key, as of now. */
export interface Addressee {
  readonly account: Account;
  readonly now: Date;
  /** Whether the key has a successor that nobody has used yet. */
  readonly isReplaced: boolean;
  /** The key that it replaces. */
  readonly replaced: ApiKey | undefined;
}

export class Addressees {
  constructor(
    private readonly accounts: Accounts,
    private readonly keys: ApiKeys,
  ) {}

  /**
   * The owner of the key, or undefined if the owner must no longer get this mail. Suspended owners still get mails
   * about what has happened. Mails about what will happen go only to owners who can act on them, and only until then.
   */
  async of({ type, data }: OutboxMessage): Promise<Addressee | undefined> {
    const [account, read] = await Promise.all([
      this.accounts.find(data.ownerId),
      // When an account was purged and its id reused, this key does not belong to the new account.
      this.keys.findOwn(data.ownerId, data.keyId),
    ]);
    if (!account || !read || account.status === 'deleted') return undefined;
    const { key, now } = read;
    const { replacedBy, endsAt } = key.snapshot();
    const isComing = account.isActive && key.status(now) === 'active' && !endsAt;
    if (type === 'api_key.expiring' && !isComing) return undefined;
    const [successor, replaced] = await Promise.all(
      [replacedBy, data.replacesKeyId].map((id) => (id ? this.keys.find(id) : undefined)),
    );
    return { account, now, isReplaced: successor?.status(now) === 'active', replaced };
  }
}
