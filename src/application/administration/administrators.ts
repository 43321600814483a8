import type { Account } from '#domain/accounts/account.js';
import { type ErrorCode, LatchkeyError, nothingHere } from '#domain/errors.js';
import type { ApiKey } from '#domain/keys/api-key.js';
import { noSuchKey } from '#domain/keys/owner-keys.js';
import type { KeyChanges } from '../account-transaction.js';
import type { ChangeWaits } from '../change-waits.js';
import { type Admission, managedTransaction } from '../managed-account.js';
import { accountActor, type Actor, type Client, type RecordedEvent } from '#domain/audit/audit-event.js';
import { normalizeKeyNote } from '#domain/keys/key-rules.js';
import { changeKeys, openKey } from '../keys/change-keys.js';
import type { OwnedKey } from '../lists.js';
import type { Accounts, ApiKeys, Audit } from '../ports.js';
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

interface AdministratorsOrder extends Proof {
  readonly administrator: Account;
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
    { administrator, keyId, note, ...proof }: AdministratorsOrder & { readonly keyId: string },
    client: Client,
  ): Promise<RevokedKey> {
    const found = await this.keys.findListed(keyId);
    if (!found) throw noSuchKey();
    const acting = { personId: administrator.id, ownerId: found.owner.id };
    const { admit } = this.administrators;
    const revoked = await this.confirmation.confirm({ acting, proof, client, admit }, async (transaction, { id }) => {
      const { now, account: owner } = transaction;
      const key = await revokeIn(transaction, keyId, accountActor(id, client), note);
      return { ...(await transaction.listed(key)), owner, now };
    });
    return { ...revoked, events: await newestEvents(this.audit, revoked, administrator.id) };
  }
}

async function revokeIn(transaction: KeyChanges, keyId: string, actor: Actor, note = ''): Promise<ApiKey> {
  const { keys, key } = await openKey(transaction, keyId);
  const text = normalizeKeyNote(note);
  const changing = { keys, actor, noted: text === null ? undefined : { note: text } };
  await changeKeys(transaction, changing, () => keys.revoke(keyId, 'administrator', transaction.now));
  return key;
}

export interface SeveralRevoked {
  readonly revoked: readonly string[];
  /** Each with the code of its error: `not_found`, `api_key_not_active`, or `unavailable`. */
  readonly failed: readonly { readonly id: string; readonly code: ErrorCode }[];
}

/** An administrator revokes keys of any owners with one confirmation. Each has a transaction and an event of its own. */
export class RevokeSeveralAsAdministrator {
  constructor(
    private readonly parts: {
      readonly accounts: Accounts;
      readonly changeWaits: ChangeWaits;
      readonly keys: ApiKeys;
      readonly confirmation: Confirmation;
      readonly administrators: Administrators;
    },
  ) {}

  /** Throws the errors of a confirmation. A key that can't be revoked does not keep the others from being revoked. */
  async execute(
    { administrator, keyIds, note, ...proof }: AdministratorsOrder & { readonly keyIds: readonly string[] },
    client: Client,
  ): Promise<SeveralRevoked> {
    const { accounts, changeWaits, keys, confirmation, administrators } = this.parts;
    const { id: personId } = administrator;
    const { admit } = administrators;
    const confirmed = { acting: { personId, ownerId: personId }, proof, client, admit };
    await confirmation.confirm(confirmed, () => Promise.resolve());
    const [revoked, failed]: [string[], { id: string; code: ErrorCode }[]] = [[], []];
    const revoke = async (same: Accounts, keyId: string) => {
      const found = await keys.findListed(keyId);
      if (!found) throw noSuchKey();
      const acting = { personId, ownerId: found.owner.id };
      const actor = accountActor(personId, client);
      await managedTransaction(same, acting, (transaction) => revokeIn(transaction, keyId, actor, note), admit);
    };
    await changeWaits.once(accounts, async (same) => {
      for (const id of keyIds) {
        try {
          await revoke(same, id);
          revoked.push(id);
        } catch (error) {
          if (!(error instanceof LatchkeyError)) throw error;
          failed.push({ id, code: error.code });
        }
      }
    });
    return { revoked, failed };
  }
}
