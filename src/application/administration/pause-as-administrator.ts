import type { Account } from '#domain/accounts/account.js';
import { accountActor, type Actor, type Client } from '#domain/audit/audit-event.js';
import { PAUSE_FIELDS } from '#domain/keys/key-pauses.js';
import { requireValid } from '#domain/keys/key-rules.js';
import { noSuchKey } from '#domain/keys/owner-keys.js';
import type { AccountLocks, KeyChanges } from '../account-transaction.js';
import { changePause, type Pause } from '../keys/pause-keys.js';
import type { OwnedKey } from '../lists.js';
import { type Acting, managedTransaction } from '../managed-account.js';
import type { ApiKeys, Audit } from '../ports.js';
import type { Confirmation, Proof } from '../sessions/confirmation.js';
import type { Administrators, RevokedKey } from './administrators.js';
import { newestEvents } from './view-keys.js';

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
    const work = (transaction: KeyChanges & { readonly account: Account }, { id }: Account) =>
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
    const key = await changePause(transaction, pause, actor);
    return { ...(await transaction.listed(key)), owner: transaction.account, now: transaction.now };
  }

  private async withEvents(key: OwnedKey, { administrator }: AdministratorsPause): Promise<RevokedKey> {
    return { ...key, events: await newestEvents(this.parts.audit, key, administrator.id) };
  }
}
