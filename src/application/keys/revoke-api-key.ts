import { LatchkeyError } from '../../domain/errors.js';
import type { Client } from '../../domain/audit/audit-event.js';
import type { Accounts } from '../ports.js';
import type { AccountTransaction } from '../account-transaction.js';
import type { ReadKey } from '../listed-key.js';
import { openKey } from './open-key.js';
import { saveKeys } from './save-keys.js';

export class RevokeApiKey {
  constructor(private readonly accounts: Accounts) {}

  /** Throws `not_found` for any key but the owner's own, and `api_key_not_active` for one that ended before. */
  async execute(ownerId: string, keyId: string, client: Client): Promise<ReadKey> {
    const outcome = await this.accounts.transaction(ownerId, (transaction) => this.revoke(transaction, keyId, client));
    if (outcome instanceof LatchkeyError) throw outcome;
    return outcome;
  }

  /** Answers a refusal instead of throwing it, so that an end observed here is committed all the same. */
  private async revoke(
    transaction: AccountTransaction,
    keyId: string,
    client: Client,
  ): Promise<ReadKey | LatchkeyError> {
    const { now, account } = transaction;
    if (!account?.isActive) throw new LatchkeyError('unauthenticated', 'Sign in again');
    const { keys, listed } = await openKey(transaction, keyId);
    const refusal = keys.revoke(keyId, 'owner', now);
    await saveKeys(transaction, keys, { actorId: account.id, client });
    return refusal ?? { ...listed, now };
  }
}
