import type { KeyHistory } from '#domain/usage/key-history.js';
import type { OwnedKey, ListedKey, Page, PageRequest } from '../lists.js';
import type { AccountLocks, KeyChanges } from '../account-ports.js';
import type { Audit, EventSearch } from '../audit-ports.js';
import type { ApiKeys } from '../key-ports.js';
import type { KeyUsage } from '../validation-ports.js';
import type { ShownKeys } from './shown-keys.js';
import {
  accountActor,
  asSeenBy,
  type Client,
  type RecordedEvent,
  SHOWN_EVENT_TYPES,
} from '#domain/audit/audit-event.js';
import { LatchkeyError } from '#domain/errors.js';
import type { Renaming } from '#domain/keys/key-state.js';
import { type Acting, managedTransaction } from '../managed-account.js';
import type { Confirmation, Proof } from '../sessions/confirmation.js';
import { anyKey, type ChangeOfKey, changeKeys, pausing, revoking } from './change-keys.js';

/** One key, as its owner sees it. Throws `not_found` for a key of another owner. */
export class ViewKeyOfOwner {
  constructor(
    private readonly shownKeys: ShownKeys,
    private readonly keys: ApiKeys,
    private readonly usage: KeyUsage,
  ) {}

  async find(ownerId: string, keyId: string): Promise<OwnedKey & KeyHistory> {
    const found = await this.shownKeys.find(keyId, ownerId);
    return { ...found, ...(await this.usage.history(keyId, found.now)) };
  }

  /** Notes that somebody did elsewhere what the key needed. It changes nothing about the key. */
  async markHandled(ownerId: string, keyId: string, mark: string): Promise<ListedKey> {
    await this.keys.markHandled(keyId, ownerId, mark);
    return this.shownKeys.find(keyId, ownerId);
  }
}

/** What a person changes about their own keys, and about those that they manage. Throws `not_found` for any other key. */
export class ChangeKeysOfOwner {
  constructor(
    private readonly accounts: AccountLocks<KeyChanges>,
    private readonly confirmation: Confirmation,
  ) {}

  /** Throws `invalid_fields`, and `invalid_request` when nothing is to be changed. */
  async rename(acting: Acting, keyId: string, renaming: Renaming, client: Client): Promise<ListedKey> {
    const { name, note } = renaming;
    if (name === undefined && note === undefined) {
      throw new LatchkeyError('invalid_request', 'Send a name, a note or both');
    }
    return this.change(acting, client, async (transaction, actor) => {
      const { keys, key } = await anyKey(transaction, keyId);
      await changeKeys(transaction, { keys, actor }, () => keys.rename(keyId, renaming, transaction.now));
      return key;
    });
  }

  /** Throws `api_key_not_active` for a key that has ended. @param leaked recorded as the reason */
  revoke(acting: Acting, keyId: string, client: Client, leaked = false): Promise<ListedKey> {
    return this.change(acting, client, revoking(keyId, leaked ? 'leaked' : 'owner'));
  }

  /** Needs no confirmation. Throws `invalid_fields` and `api_key_not_active`. */
  async pause(acting: Acting, keyId: string, minutes: number, client: Client): Promise<ListedKey> {
    return this.change(acting, client, pausing(keyId, 'owner', minutes));
  }

  /** Is confirmed like a creation. Throws `api_key_not_active`, and the errors of a confirmation. */
  resume(acting: Acting, keyId: string, proof: Proof, client: Client): Promise<ListedKey> {
    const resuming = pausing(keyId, 'owner', null);
    return this.confirmation.confirm({ acting, proof, client }, async (transaction, { id }) =>
      transaction.listed(await resuming(transaction, accountActor(id, client))),
    );
  }

  private change(acting: Acting, client: Client, change: ChangeOfKey): Promise<ListedKey> {
    return managedTransaction(this.accounts, acting, async (transaction, { id }) =>
      transaction.listed(await change(transaction, accountActor(id, client))),
    );
  }
}

/** The events of the owner's account and keys, without what a manager may not see. */
export class ListAuditEvents {
  constructor(private readonly audit: Audit) {}

  async execute(
    { personId, ownerId }: Acting,
    { types = SHOWN_EVENT_TYPES, keyId }: Pick<EventSearch, 'types' | 'keyId'>,
    page: PageRequest,
  ): Promise<Page<RecordedEvent>> {
    const { items, nextCursor } = await this.audit.list(ownerId, { types, keyId }, page);
    return { items: items.map((event) => asSeenBy(personId, event)), nextCursor };
  }
}
