import type { Account } from '#domain/accounts/account.js';
import { accountActor, type Actor, type Client } from '#domain/audit/audit-event.js';
import type { ApiKey } from '#domain/keys/api-key.js';
import { PAUSE_FIELDS, type PausedBy } from '#domain/keys/key-pauses.js';
import { requireValid } from '#domain/keys/key-rules.js';
import { noSuchKey } from '#domain/keys/owner-keys.js';
import { MINUTE_MS } from '#domain/time.js';
import { type AccountLocks, accountNotFound, type KeyChanges } from '../account-transaction.js';
import { type Administrators, type RevokedKey } from '../administration/administrators.js';
import { newestEvents } from '../administration/view-keys.js';
import type { OwnedKey, ReadKey } from '../lists.js';
import { type Acting, managedTransaction } from '../managed-account.js';
import type { ApiKeys, Audit } from '../ports.js';
import type { Confirmation, Proof } from '../sessions/confirmation.js';
import { changeKeys, openKey } from './change-keys.js';

interface Pause {
  readonly keyId: string;
  /** Null ends it. */
  readonly minutes: number | null;
  readonly by: PausedBy;
}

/** Throws `not_found`, and `api_key_not_active` for a key that has ended. */
async function change(transaction: KeyChanges, { keyId, minutes, by }: Pause, actor: Actor): Promise<ApiKey> {
  const { now } = transaction;
  const { keys, key } = await openKey(transaction, keyId);
  await changeKeys(transaction, { keys, actor }, () =>
    minutes === null
      ? keys.resume(keyId, by, now)
      : keys.pause(keyId, by, new Date(now.getTime() + minutes * MINUTE_MS), now),
  );
  return key;
}

/** For the owner of a key and their managers. Pausing needs no confirmation, resuming one like a creation. */
export class PauseApiKey {
  constructor(
    private readonly accounts: AccountLocks<KeyChanges>,
    private readonly confirmation: Confirmation,
  ) {}

  /** Throws `invalid_fields`, `not_found` for a key of another owner, and `api_key_not_active`. */
  async pause(acting: Acting, keyId: string, minutes: number, client: Client): Promise<ReadKey> {
    requireValid(PAUSE_FIELDS, { minutes });
    return managedTransaction(this.accounts, acting, async (transaction, { id }) => {
      const key = await change(transaction, { keyId, minutes, by: 'owner' }, accountActor(id, client));
      return { ...(await transaction.listed(key)), now: transaction.now };
    });
  }

  /** Throws the same, and the errors of a confirmation. */
  resume(acting: Acting, keyId: string, proof: Proof, client: Client): Promise<ReadKey> {
    return this.confirmation.confirm({ acting, proof, client }, async (transaction, { id }) => {
      const key = await change(transaction, { keyId, minutes: null, by: 'owner' }, accountActor(id, client));
      return { ...(await transaction.listed(key)), now: transaction.now };
    });
  }
}

interface AdministratorsPause {
  readonly administrator: Account;
  readonly keyId: string;
}

/** For administrators, and any key: theirs is a pause of its own, which owners can't end. */
export class PauseAsAdministrator {
  constructor(
    private readonly parts: {
      readonly accounts: AccountLocks<KeyChanges>;
      readonly keys: ApiKeys;
      readonly audit: Audit;
      readonly confirmation: Confirmation;
      readonly administrators: Administrators;
    },
  ) {}

  /** Returns the key with its newest events. Throws `invalid_fields`, `not_found` and `api_key_not_active`. */
  async pause(order: AdministratorsPause, minutes: number, client: Client): Promise<RevokedKey> {
    requireValid(PAUSE_FIELDS, { minutes });
    const acting = await this.actingOn(order);
    const { accounts, administrators } = this.parts;
    const work = (transaction: Parameters<typeof change>[0] & { readonly account: Account }, { id }: Account) =>
      this.changed(transaction, { keyId: order.keyId, minutes, by: 'administrator' }, accountActor(id, client));
    return this.withEvents(await managedTransaction(accounts, acting, work, administrators.admit), order);
  }

  /** Throws the same, and the errors of a confirmation. */
  async resume(order: AdministratorsPause, proof: Proof, client: Client): Promise<RevokedKey> {
    const acting = await this.actingOn(order);
    const { confirmation, administrators } = this.parts;
    const confirmed = { acting, proof, client, admit: administrators.admit };
    const resumed = await confirmation.confirm(confirmed, (transaction, { id }) =>
      this.changed(transaction, { keyId: order.keyId, minutes: null, by: 'administrator' }, accountActor(id, client)),
    );
    return this.withEvents(resumed, order);
  }

  private async actingOn({ administrator, keyId }: AdministratorsPause): Promise<Acting> {
    const found = await this.parts.keys.findListed(keyId);
    if (!found) throw noSuchKey();
    return { personId: administrator.id, ownerId: found.owner.id };
  }

  private async changed(
    transaction: KeyChanges & { readonly account: Account },
    pause: Pause,
    actor: Actor,
  ): Promise<OwnedKey> {
    const key = await change(transaction, pause, actor);
    return { ...(await transaction.listed(key)), owner: transaction.account, now: transaction.now };
  }

  private async withEvents(key: OwnedKey, { administrator }: AdministratorsPause): Promise<RevokedKey> {
    return { ...key, events: await newestEvents(this.parts.audit, key, administrator.id) };
  }
}

/** For the command line, which pauses as an administrator. */
export class PauseForOwner {
  constructor(private readonly accounts: AccountLocks<KeyChanges>) {}

  /**
   * Throws `invalid_fields`, `account_not_found`, `not_found` and `api_key_not_active`.
   * @param minutes null ends the pause
   */
  async execute(ownerId: string, keyId: string, minutes: number | null, actor: Actor): Promise<ReadKey> {
    if (minutes !== null) requireValid(PAUSE_FIELDS, { minutes });
    return this.accounts.transaction(ownerId, async (transaction) => {
      if (!transaction.account) throw accountNotFound();
      const key = await change(transaction, { keyId, minutes, by: 'administrator' }, actor);
      return { ...(await transaction.listed(key)), now: transaction.now };
    });
  }
}
