import { NO_TERMS } from '#domain/accounts/account-change.js';
import { type KeyPolicy, keyPolicy, type ServicePolicy } from '#domain/keys/key-policy.js';
import type { ApiKeyStatus } from '#domain/keys/key-status.js';
import type { KeyHistory } from '#domain/usage/key-history.js';
import { type KeySort, type OwnedKey, type PageRequest, wrongCursor, type ReadKey } from '../lists.js';
import type { AccountLocks, KeyChanges } from '../account-transaction.js';
import type { Accounts, ApiKeys, KeyUsage } from '../ports.js';
import { type ShownKeys, type ShownPage, startOf } from './shown-keys.js';
import { accountActor, type Client } from '#domain/audit/audit-event.js';
import { LatchkeyError } from '#domain/errors.js';
import type { Renaming } from '#domain/keys/key-state.js';
import { type Acting, managedTransaction } from '../managed-account.js';
import { anyKey, changeKeys, openKey } from './change-keys.js';

export interface KeysOfOwner extends ShownPage {
  /** The numbers of all keys of the owner, not only of those on this page. */
  readonly activeKeys: number;
  readonly endedKeys: number;
  /** What is allowed for new keys. */
  readonly policy: KeyPolicy;
}

export class ListKeysOfOwner {
  constructor(
    private readonly shownKeys: ShownKeys,
    private readonly accounts: Accounts,
    private readonly service: ServicePolicy,
  ) {}

  async execute(
    ownerId: string,
    status: ApiKeyStatus | undefined,
    { limit, cursor }: PageRequest,
    sort?: KeySort,
  ): Promise<KeysOfOwner> {
    const page = await this.shownKeys.page({ ownerId, status, sort }, startOf(cursor, wrongCursor, sort), limit);
    const counts = await this.shownKeys.count(ownerId, page.now);
    const owner = page.items[0]?.owner ?? (await this.accounts.find(ownerId));
    return { ...page, ...counts, policy: keyPolicy(this.service, owner ?? NO_TERMS) };
  }
}

export class GetKeyOfOwner {
  constructor(
    private readonly shownKeys: ShownKeys,
    private readonly usage: KeyUsage,
  ) {}

  /** Throws `not_found` for a key of another owner. */
  async execute(ownerId: string, keyId: string): Promise<OwnedKey & KeyHistory> {
    const found = await this.shownKeys.find(keyId, ownerId);
    return { ...found, ...(await this.usage.history(keyId, found.now)) };
  }
}

/** What needed attention about a key, and what somebody did about it elsewhere. It changes nothing about the key. */
export class MarkKeyHandled {
  constructor(
    private readonly shownKeys: ShownKeys,
    private readonly keys: ApiKeys,
  ) {}

  /** Throws `not_found` for a key of another owner. */
  async execute(ownerId: string, keyId: string, mark: string): Promise<ReadKey> {
    await this.keys.markHandled(keyId, ownerId, mark);
    return this.shownKeys.find(keyId, ownerId);
  }
}

export class RenameApiKey {
  constructor(private readonly accounts: AccountLocks<KeyChanges>) {}

  /** Throws `not_found` for a key of another owner, and `invalid_request` when nothing is to be changed. */
  async execute(acting: Acting, keyId: string, renaming: Renaming, client: Client): Promise<ReadKey> {
    const { name, note } = renaming;
    if (name === undefined && note === undefined) {
      throw new LatchkeyError('invalid_request', 'Send a name, a note or both');
    }
    return managedTransaction(this.accounts, acting, async (transaction, person) => {
      const { now } = transaction;
      const { keys, key } = await anyKey(transaction, keyId);
      const actor = accountActor(person.id, client);
      await changeKeys(transaction, { keys, actor }, () => keys.rename(keyId, renaming, now));
      return { ...(await transaction.listed(key)), now };
    });
  }
}

export class RevokeApiKey {
  constructor(private readonly accounts: AccountLocks<KeyChanges>) {}

  /**
   * Throws `not_found` for a key of another owner, and `api_key_not_active` for a key that has ended.
   * @param leaked recorded as the reason
   */
  execute(acting: Acting, keyId: string, client: Client, leaked = false): Promise<ReadKey> {
    return managedTransaction(this.accounts, acting, async (transaction, person) => {
      const { now } = transaction;
      const { keys, key } = await openKey(transaction, keyId);
      const actor = accountActor(person.id, client);
      await changeKeys(transaction, { keys, actor }, () => keys.revoke(keyId, leaked ? 'leaked' : 'owner', now));
      return { ...(await transaction.listed(key)), now };
    });
  }
}
