import { keyNotActive } from '../../domain/keys/api-key.js';
import { LatchkeyError } from '../../domain/errors.js';
import { noSuchKey, OwnerKeys } from '../../domain/keys/owner-keys.js';
import type { Client } from '../../domain/audit/audit-event.js';
import type { Accounts } from '../ports.js';
import type { AccountTransaction } from '../account-transaction.js';
import type { ReadKey } from '../listed-key.js';
import { saveKeys } from './save-keys.js';

export class RevokeApiKey {
  constructor(private readonly accounts: Accounts) {}

  /** Throws `not_found` for any key but the owner's own, and `api_key_not_active` for one that ended before. */
  async execute(ownerId: string, keyId: string, client: Client): Promise<ReadKey> {
    const outcome = await this.accounts.transaction(ownerId, (transaction) => this.revoke(transaction, keyId, client));
    if (outcome === 'expired') throw keyNotActive('expired');
    return outcome;
  }

  /** Answers `expired` instead of throwing, so that an expiry observed here is committed all the same. */
  private async revoke(transaction: AccountTransaction, keyId: string, client: Client): Promise<ReadKey | 'expired'> {
    const { now, account } = transaction;
    if (!account?.isActive) throw new LatchkeyError('unauthenticated', 'Sign in again');
    const listed = await transaction.findKey(keyId);
    if (!listed) throw noSuchKey();
    const keys = new OwnerKeys([listed.key]);
    const outcome = keys.revoke(listed.key.id, 'owner', now);
    await saveKeys(transaction, keys, { actorId: account.id, client });
    return outcome === 'expired' ? outcome : { ...listed, now };
  }
}
