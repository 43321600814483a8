import { accountActor, type Actor, type Client } from '#domain/audit/audit-event.js';
import type { ApiKey } from '#domain/keys/api-key.js';
import { PAUSE_FIELDS, type PausedBy } from '#domain/keys/key-pauses.js';
import { requireValid } from '#domain/keys/key-rules.js';
import { MINUTE_MS } from '#domain/time.js';
import { type AccountLocks, accountNotFound, type KeyChanges } from '../account-transaction.js';
import type { ReadKey } from '../lists.js';
import { type Acting, managedTransaction } from '../managed-account.js';
import type { Confirmation, Proof } from '../sessions/confirmation.js';
import { changeKeys, openKey } from './change-keys.js';

export interface Pause {
  readonly keyId: string;
  /** Null ends it. */
  readonly minutes: number | null;
  readonly by: PausedBy;
}

/** Throws `not_found`, and `api_key_not_active` for a key that has ended. */
export async function changePause(
  transaction: KeyChanges,
  { keyId, minutes, by }: Pause,
  actor: Actor,
): Promise<ApiKey> {
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
      const key = await changePause(transaction, { keyId, minutes, by: 'owner' }, accountActor(id, client));
      return { ...(await transaction.listed(key)), now: transaction.now };
    });
  }

  /** Throws the same, and the errors of a confirmation. */
  resume(acting: Acting, keyId: string, proof: Proof, client: Client): Promise<ReadKey> {
    return this.confirmation.confirm({ acting, proof, client }, async (transaction, { id }) => {
      const key = await changePause(transaction, { keyId, minutes: null, by: 'owner' }, accountActor(id, client));
      return { ...(await transaction.listed(key)), now: transaction.now };
    });
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
      const key = await changePause(transaction, { keyId, minutes, by: 'administrator' }, actor);
      return { ...(await transaction.listed(key)), now: transaction.now };
    });
  }
}
