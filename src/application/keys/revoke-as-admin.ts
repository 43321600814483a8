import type { ApiKey } from '../../domain/keys/api-key.js';
import { LatchkeyError } from '../../domain/errors.js';
import type { ApiKeyStatus } from '../../domain/keys/key-status.js';
import { OwnerKeys } from '../../domain/keys/owner-keys.js';
import type { RevocationReason } from '../../domain/keys/key-change.js';
import type { Actor } from '../../domain/audit/audit-event.js';
import type { LeakSite } from '../../domain/audit/leak-site.js';
import { accountNotFound } from '../account-transaction.js';
import type { Accounts } from '../ports.js';
import { openKey, changeKeys } from './change-keys.js';

interface RevocationCause {
  readonly actor: Actor;
  readonly reason: RevocationReason;
  /** Where a leaked key was found, for the audit trail. */
  readonly site?: LeakSite | undefined;
}

/** Revokes keys on behalf of their owners, including suspended and deleted ones. */
export class RevokeAsAdmin {
  constructor(private readonly accounts: Accounts) {}

  /** Throws `account_not_found`, `not_found` for another owner's key, and `api_key_not_active` for an ended key. */
  one(ownerId: string, keyId: string, { actor, reason, site }: RevocationCause): Promise<ApiKey> {
    return this.accounts.transaction(ownerId, async (transaction) => {
      if (!transaction.account) throw accountNotFound();
      const { keys, key } = await openKey(transaction, keyId);
      const changing = { keys, actor, leakedAt: site };
      await changeKeys(transaction, changing, () => keys.revoke(keyId, reason, transaction.now));
      return key;
    });
  }

  /** For a key that was found by its string or its id. Returns the status before this call. */
  async found(key: ApiKey, cause: RevocationCause): Promise<ApiKeyStatus> {
    try {
      await this.one(key.ownerId, key.id, cause);
      return 'active';
    } catch (error) {
      if (!(error instanceof LatchkeyError)) throw error;
      if (error.code === 'api_key_not_active') return error.details.apiKeyStatus as ApiKeyStatus;
      // The owner's account was purged, and the key with it.
      if (error.code !== 'account_not_found' && error.code !== 'not_found') throw error;
      return endOf(key);
    }
  }

  /** Every active key, in one transaction, during which no key can be created. Returns the keys that it revoked. */
  all(ownerId: string, { actor, reason }: RevocationCause): Promise<ApiKey[]> {
    return this.accounts.transaction(ownerId, async (transaction) => {
      if (!transaction.account) throw accountNotFound();
      const keys = new OwnerKeys(await transaction.openKeys());
      return changeKeys(transaction, { keys, actor }, () => keys.revokeAll(reason, transaction.now));
    });
  }
}

function endOf(key: ApiKey): ApiKeyStatus {
  return key.snapshot().expiredAt ? 'expired' : 'revoked';
}
