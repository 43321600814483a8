import { keyNotActive } from '../domain/api-key.js';
import { LatchkeyError } from '../domain/errors.js';
import type { Client } from './audit.js';
import { recordExpiryIfDue } from './due-expiries.js';
import type { Accounts, AccountTransaction, ListedKey } from './ports.js';

export type RevokedApiKey = ListedKey & { readonly now: Date };

export class RevokeApiKey {
  constructor(private readonly accounts: Accounts) {}

  /** Throws `not_found` for any key but the owner's own, and `api_key_not_active` for one that ended before. */
  async execute(ownerId: string, keyId: string, client: Client): Promise<RevokedApiKey> {
    const outcome = await this.accounts.transaction(ownerId, (transaction) => this.revoke(transaction, keyId, client));
    if (outcome === 'expired') throw keyNotActive('expired');
    return outcome;
  }

  /** Answers `expired` instead of throwing, so that an expiry observed here is committed all the same. */
  private async revoke(
    transaction: AccountTransaction,
    keyId: string,
    client: Client,
  ): Promise<RevokedApiKey | 'expired'> {
    const { now, account } = transaction;
    if (!account?.isActive) throw new LatchkeyError('unauthenticated', 'Sign in again');
    const listed = await transaction.findKey(keyId);
    if (!listed) throw new LatchkeyError('not_found', 'There is no such API key');
    if (await recordExpiryIfDue(transaction, listed.key)) return 'expired';
    listed.key.revoke(now);
    await transaction.saveKey(listed.key);
    await transaction.record({ type: 'api_key.revoked', keyId, actorId: account.id, client });
    return { ...listed, now };
  }
}
