import type { Account } from '#domain/accounts/account.js';
import { nothingHere } from '#domain/errors.js';
import { noSuchKey } from '#domain/keys/owner-keys.js';
import type { Admission } from '../managed-account.js';
import { accountActor, type Client, type RecordedEvent } from '#domain/audit/audit-event.js';
import { normalizeKeyNote } from '#domain/keys/key-rules.js';
import { changeKeys, openKey } from '../keys/change-keys.js';
import type { OwnedKey } from '../lists.js';
import type { ApiKeys, Audit } from '../ports.js';
import type { Confirmation, Proof } from '../sessions/confirmation.js';
import { newestEvents } from './view-keys.js';

/** The persons who see and end the keys of all owners. For everybody else, there is nothing of it. */
export class Administrators {
  /** @param permission undefined: nobody */
  constructor(private readonly permission: string | undefined) {}

  /** The person's own account must have the permission itself: one that covers it does not count. */
  includes(person: Account): boolean {
    const isPerson = person.kind === 'person' && person.isActive;
    return isPerson && this.permission !== undefined && person.has(this.permission);
  }

  /** For a transaction that has locked the administrator and the owner of the keys, who may be suspended. */
  readonly admit: Admission = (account, person) => {
    if (!person || !this.includes(person)) throw nothingHere();
    if (!account) throw noSuchKey();
  };
}

interface RevokeAsAdministratorCommand extends Proof {
  readonly administrator: Account;
  readonly keyId: string;
  /** For the audit trail. The door has already checked it, as the note of a key. */
  readonly note?: string | undefined;
}

export interface RevokedKey extends OwnedKey {
  readonly events: readonly RecordedEvent[];
}

/** An administrator revokes a key of any owner, even of one who is not active. */
export class RevokeAsAdministrator {
  constructor(
    private readonly audit: Audit,
    private readonly keys: ApiKeys,
    private readonly confirmation: Confirmation,
    private readonly administrators: Administrators,
  ) {}

  /** Returns the key with its newest events. Throws `not_found`, `api_key_not_active` for a key that has ended, and the errors of a confirmation. */
  async execute(
    { administrator, keyId, note, ...proof }: RevokeAsAdministratorCommand,
    client: Client,
  ): Promise<RevokedKey> {
    const found = await this.keys.findListed(keyId);
    if (!found) throw noSuchKey();
    const acting = { personId: administrator.id, ownerId: found.owner.id };
    const { admit } = this.administrators;
    const revoked = await this.confirmation.confirm({ acting, proof, client, admit }, async (transaction, { id }) => {
      const { now, account: owner } = transaction;
      const { keys, key } = await openKey(transaction, keyId);
      const text = normalizeKeyNote(note ?? '');
      const changing = { keys, actor: accountActor(id, client), noted: text === null ? undefined : { note: text } };
      await changeKeys(transaction, changing, () => keys.revoke(keyId, 'administrator', now));
      return { ...(await transaction.listed(key)), owner, now };
    });
    return { ...revoked, events: await newestEvents(this.audit, revoked, administrator.id) };
  }
}
