import { LatchkeyError } from '../../domain/errors.js';
import type { Client } from '../../domain/audit/audit-event.js';
import type { Accounts } from '../ports.js';
import type { ReadKey } from '../lists.js';
import { openKey, changeKeys } from './change-keys.js';

export class RevokeApiKey {
  constructor(private readonly accounts: Accounts) {}

  /** Throws `not_found` for a key of another owner, and `api_key_not_active` for a key that has ended. */
  execute(ownerId: string, keyId: string, client: Client): Promise<ReadKey> {
    return this.accounts.transaction(ownerId, async (transaction) => {
      const { now, account } = transaction;
      if (!account?.isActive) throw new LatchkeyError('unauthenticated', 'Sign in again');
      const { keys, key } = await openKey(transaction, keyId);
      const actor = { actorId: account.id, client };
      await changeKeys(transaction, { keys, actor }, () => keys.revoke(keyId, 'owner', now));
      return { ...(await transaction.listed(key)), now };
    });
  }
}
