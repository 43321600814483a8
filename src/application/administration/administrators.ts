import type { Account } from '#domain/accounts/account.js';
import { type ErrorCode, LatchkeyError, nothingHere } from '#domain/errors.js';
import type { ApiKey } from '#domain/keys/api-key.js';
import { noSuchKey } from '#domain/keys/owner-keys.js';
import type { AccountLocks, KeyChanges } from '../account-transaction.js';
import type { ChangeWaits } from '../change-waits.js';
import { type Acting, type Admission, type Managed, managedTransaction } from '../managed-account.js';
import { accountActor, type Actor, type Client, type RecordedEvent } from '#domain/audit/audit-event.js';
import { PAUSE_FIELDS } from '#domain/keys/key-pauses.js';
import { normalizeKeyNote, requireValid } from '#domain/keys/key-rules.js';
import { changeKeys, openKey } from '../keys/change-keys.js';
import { changePause } from '../keys/pause-keys.js';
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

interface AdministratorsOrder {
  readonly administrator: Account;
  readonly keyId: string;
}

/** With the administrator's words for the audit trail. The door has already checked them, as the note of a key. */
type NotedProof = Proof & { readonly note?: string | undefined };

export interface ChangedKey extends OwnedKey {
  readonly events: readonly RecordedEvent[];
}

type Transaction = Managed<KeyChanges>;
type Work = (transaction: Transaction, administrator: Account) => Promise<OwnedKey>;
type Change = (transaction: Transaction, actor: Actor) => Promise<ApiKey>;

/**
 * An administrator changes a key of any owner, even of one who is not active. Each change returns the key with its newest
 * events. Throws `not_found`, and `api_key_not_active` for a key that has ended.
 */
export class ChangeAsAdministrator {
  constructor(
    private readonly parts: {
      readonly accounts: AccountLocks<KeyChanges>;
      readonly keys: ApiKeys;
      readonly audit: Audit;
      readonly confirmation: Confirmation;
      readonly administrators: Administrators;
    },
  ) {}

  /** Throws the errors of a confirmation. */
  revoke(order: AdministratorsOrder, { note, ...proof }: NotedProof, client: Client): Promise<ChangedKey> {
    const change: Change = (transaction, actor) => revokeIn(transaction, order.keyId, actor, note);
    return this.confirmed(order, proof, client, change);
  }

  /** Theirs is a pause of its own, which owners can't end. Throws `invalid_fields`. */
  async pause(order: AdministratorsOrder, minutes: number, client: Client): Promise<ChangedKey> {
    requireValid(PAUSE_FIELDS, { minutes });
    const { accounts, administrators } = this.parts;
    const run = (acting: Acting, work: Work) => managedTransaction(accounts, acting, work, administrators.admit);
    return this.changed(order, client, pausing(order.keyId, minutes), run);
  }

  /** Throws the errors of a confirmation. */
  resume(order: AdministratorsOrder, proof: Proof, client: Client): Promise<ChangedKey> {
    return this.confirmed(order, proof, client, pausing(order.keyId, null));
  }

  private confirmed(order: AdministratorsOrder, proof: Proof, client: Client, change: Change): Promise<ChangedKey> {
    const { confirmation, administrators } = this.parts;
    const { admit } = administrators;
    const run = (acting: Acting, work: Work) => confirmation.confirm({ acting, proof, client, admit }, work);
    return this.changed(order, client, change, run);
  }

  private async changed(
    { administrator, keyId }: AdministratorsOrder,
    client: Client,
    change: Change,
    run: (acting: Acting, work: Work) => Promise<OwnedKey>,
  ): Promise<ChangedKey> {
    const found = await this.parts.keys.findListed(keyId);
    if (!found) throw noSuchKey();
    const changed = await run({ personId: administrator.id, ownerId: found.owner.id }, async (transaction, { id }) => {
      const { now, account: owner } = transaction;
      const key = await change(transaction, accountActor(id, client));
      return { ...(await transaction.listed(key)), owner, now };
    });
    return { ...changed, events: await newestEvents(this.parts.audit, changed, administrator.id) };
  }
}

function pausing(keyId: string, minutes: number | null): Change {
  return (transaction, actor) => changePause(transaction, { keyId, minutes, by: 'administrator' }, actor);
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
    { administrator, keyIds }: { readonly administrator: Account; readonly keyIds: readonly string[] },
    { note, ...proof }: NotedProof,
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
