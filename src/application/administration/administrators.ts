import type { Account } from '#domain/accounts/account.js';
import { type ErrorCode, LatchkeyError, nothingHere } from '#domain/errors.js';
import { noSuchKey } from '#domain/keys/owner-keys.js';
import type { KeyChanges } from '../account-ports.js';
import { type Admission, type Managed, managedTransaction } from '../managed-account.js';
import { accountActor, type Client, type RecordedEvent } from '#domain/audit/audit-event.js';
import { normalizeKeyNote } from '#domain/keys/key-rules.js';
import { type ChangeOfKey, pausing, revoking } from '../keys/change-keys.js';
import type { OwnedKey } from '../lists.js';
import type { Ports } from '../ports.js';
import type { Confirmation, Proof } from '../sessions/confirmation.js';
import { newestEvents } from './view-keys.js';

/** The persons who see and end the keys of all owners. Other people learn nothing about them. */
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

interface AdministratorsOrder {
  readonly administrator: Account;
  readonly keyId: string;
}

/** With the administrator's words for the audit trail. The door has already checked them, as the note of a key. */
type NotedProof = Proof & { readonly note?: string | undefined };

export interface ChangedKey extends OwnedKey {
  readonly events: readonly RecordedEvent[];
}

export interface SeveralRevoked {
  readonly revoked: readonly string[];
  /** Each with the code of its error: `not_found`, `api_key_not_active`, or `unavailable`. */
  readonly failed: readonly { readonly id: string; readonly code: ErrorCode }[];
}

/** The changes of `accounts` are not waited for yet. */
interface ChangeParts extends Pick<Ports, 'accounts' | 'changeWaits' | 'keys' | 'audit'> {
  readonly confirmation: Confirmation;
  readonly administrators: Administrators;
}

/**
 * An administrator changes keys of any owner, even of one who is not active. A change of one key returns it with its newest
 * events. Throws `not_found`, and `api_key_not_active` for a key that has ended.
 */
export class ChangeAsAdministrator {
  constructor(private readonly parts: ChangeParts) {}

  /** Throws the errors of a confirmation. */
  revoke(order: AdministratorsOrder, { note, ...proof }: NotedProof, client: Client): Promise<ChangedKey> {
    return this.change(order, client, revokingAs(order.keyId, note), proof);
  }

  /** Theirs is a pause of its own, which owners can't end. Needs no confirmation. Throws `invalid_fields`. */
  async pause(order: AdministratorsOrder, minutes: number, client: Client): Promise<ChangedKey> {
    return this.change(order, client, pausing(order.keyId, 'administrator', minutes));
  }

  /** Throws the errors of a confirmation. */
  resume(order: AdministratorsOrder, proof: Proof, client: Client): Promise<ChangedKey> {
    return this.change(order, client, pausing(order.keyId, 'administrator', null), proof);
  }

  /** With one confirmation, whose errors it throws. Each key has a transaction and an event of its own. */
  async revokeSeveral(
    { administrator, keyIds }: { readonly administrator: Account; readonly keyIds: readonly string[] },
    { note, ...proof }: NotedProof,
    client: Client,
  ): Promise<SeveralRevoked> {
    const { accounts, changeWaits, confirmation, administrators } = this.parts;
    const { id: personId } = administrator;
    const { admit } = administrators;
    const confirmed = { acting: { personId, ownerId: personId }, proof, client, admit };
    await confirmation.confirm(confirmed, () => Promise.resolve());
    const actor = accountActor(personId, client);
    const [revoked, failed]: [string[], { id: string; code: ErrorCode }[]] = [[], []];
    await changeWaits.once(accounts, async (same) => {
      for (const id of keyIds) {
        try {
          const acting = { personId, ownerId: await this.ownerOf(id) };
          await managedTransaction(same, acting, (transaction) => revokingAs(id, note)(transaction, actor), admit);
          revoked.push(id);
        } catch (error) {
          if (!(error instanceof LatchkeyError)) throw error;
          failed.push({ id, code: error.code });
        }
      }
    });
    return { revoked, failed };
  }

  /** @param proof undefined: the change needs no confirmation */
  private async change(
    { administrator, keyId }: AdministratorsOrder,
    client: Client,
    change: ChangeOfKey,
    proof?: Proof,
  ): Promise<ChangedKey> {
    const { accounts, changeWaits, audit, confirmation, administrators } = this.parts;
    const { admit } = administrators;
    const acting = { personId: administrator.id, ownerId: await this.ownerOf(keyId) };
    const work = async (transaction: Managed<KeyChanges>) => {
      const changed = await change(transaction, accountActor(administrator.id, client));
      return { ...(await transaction.listed(changed)), owner: transaction.account };
    };
    const changed = await (proof
      ? confirmation.confirm({ acting, proof, client, admit }, work)
      : managedTransaction(changeWaits.answered(accounts), acting, work, admit));
    return { ...changed, events: await newestEvents(audit, changed, administrator.id) };
  }

  private async ownerOf(keyId: string): Promise<string> {
    const found = await this.parts.keys.findListed(keyId);
    if (!found) throw noSuchKey();
    return found.owner.id;
  }
}

function revokingAs(keyId: string, given = ''): ChangeOfKey {
  const note = normalizeKeyNote(given);
  return revoking(keyId, 'administrator', { administrator: note === null ? undefined : { note } });
}
