import { accountActor, type Client } from '../../domain/audit/audit-event.js';
import { type Acting, managedTransaction } from '../managed-account.js';
import type { Accounts } from '../ports.js';
import type { ReadKey } from '../lists.js';
import { openKey, changeKeys } from './change-keys.js';

export class RevokeApiKey {
  constructor(private readonly accounts: Accounts) {}

  /** Throws `not_found` for a key of another owner, and `api_key_not_active` for a key that has ended. */
  execute(acting: Acting, keyId: string, client: Client): Promise<ReadKey> {
    return managedTransaction(this.accounts, acting, async (transaction, person) => {
      const { now } = transaction;
      const { keys, key } = await openKey(transaction, keyId);
      const actor = accountActor(person.id, client);
      await changeKeys(transaction, { keys, actor }, () => keys.revoke(keyId, 'owner', now));
      return { ...(await transaction.listed(key)), now };
    });
  }
}
