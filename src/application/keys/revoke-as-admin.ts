import type { ApiKey } from '../../domain/keys/api-key.js';
import { LatchkeyError } from '../../domain/errors.js';
import { type ApiKeyStatus, isOpen } from '../../domain/keys/key-status.js';
import { OwnerKeys } from '../../domain/keys/owner-keys.js';
import type { RevocationReason } from '../../domain/keys/revocation-reason.js';
import type { Actor } from '../../domain/audit/audit-event.js';
import type { LeakSite } from '../../domain/audit/leak-site.js';
import { accountNotFound } from '../account-not-found.js';
import type { Accounts } from '../ports.js';
import { openKey } from './open-key.js';
import { saveKeys } from './save-keys.js';

/** What owners do for themselves, done for them, and so for suspended and deleted owners too. */
export class RevokeAsAdmin {
  constructor(private readonly accounts: Accounts) {}

  /**
   * Throws `account_not_found`, `not_found` for any key but the owner's own, and `api_key_not_active` for one that ended
   * before.
   */
  async one(ownerId: string, keyId: string, actor: Actor, reason: RevocationReason, site?: LeakSite): Promise<ApiKey> {
    const outcome = await this.accounts.transaction(ownerId, async (transaction) => {
      if (!transaction.account) throw accountNotFound();
      const { keys, listed } = await openKey(transaction, keyId);
      const refusal = keys.revoke(keyId, reason, transaction.now);
      await saveKeys(transaction, keys, actor, { leakedAt: site });
      return refusal ?? listed.key;
    });
    // Thrown here, so that an end observed above is committed all the same.
    if (outcome instanceof LatchkeyError) throw outcome;
    return outcome;
  }

  /**
   * The same for a key that its string or its id has led to. Answers how it stood until now: only an active one was ended.
   * @param site of a leaked one: where it stood, for the record
   */
  async found(key: ApiKey, actor: Actor, reason: RevocationReason, site?: LeakSite): Promise<ApiKeyStatus> {
    if (!isOpen(key.snapshot())) return endOf(key);
    try {
      await this.one(key.ownerId, key.id, actor, reason, site);
      return 'active';
    } catch (error) {
      if (!(error instanceof LatchkeyError)) throw error;
      if (error.code === 'api_key_not_active') return error.details.apiKeyStatus as ApiKeyStatus;
      // Its owner's account was purged, and the key with it.
      if (error.code !== 'account_not_found' && error.code !== 'not_found') throw error;
      return endOf(key);
    }
  }

  /** Every active key, in one transaction, beside which none can be created. Answers those that it ended. */
  all(ownerId: string, actor: Actor, reason: RevocationReason): Promise<ApiKey[]> {
    return this.accounts.transaction(ownerId, async (transaction) => {
      if (!transaction.account) throw accountNotFound();
      const keys = new OwnerKeys(await transaction.openKeys());
      const revoked = keys.revokeAll(reason, transaction.now);
      await saveKeys(transaction, keys, actor);
      return revoked;
    });
  }
}

function endOf(key: ApiKey): ApiKeyStatus {
  return key.snapshot().expiredAt ? 'expired' : 'revoked';
}
