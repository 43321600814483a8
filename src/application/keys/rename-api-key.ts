import { accountActor, type Client } from '../../domain/audit/audit-event.js';
import { LatchkeyError } from '../../domain/errors.js';
import type { Renaming } from '../../domain/keys/key-state.js';
import type { ReadKey } from '../lists.js';
import { type Acting, managedTransaction } from '../managed-account.js';
import type { Accounts } from '../ports.js';
import { anyKey, changeKeys } from './change-keys.js';

export class RenameApiKey {
  constructor(private readonly accounts: Accounts) {}

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
