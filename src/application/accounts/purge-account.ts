import { changedEntitlements, NO_ENTITLEMENTS } from '../../domain/accounts/account-change.js';
import { FormerAccount } from '../../domain/accounts/former-account.js';
import type { Actor } from '../../domain/audit/audit-event.js';
import { OwnerKeys } from '../../domain/keys/owner-keys.js';
import { changeKeys } from '../keys/change-keys.js';
import type { Accounts } from '../ports.js';
import { accountNotFound } from '../account-transaction.js';

export class PurgeAccount {
  constructor(private readonly accounts: Accounts) {}

  /** Ends every key and deletes the data about the person. Returns how many keys it ended; 0 when it is repeated. */
  execute(id: string, version: bigint | undefined, actor: Actor): Promise<number> {
    return this.accounts.transaction(id, async (transaction) => {
      const { account, formerAccount } = transaction;
      const known = account ?? formerAccount;
      if (!known) throw accountNotFound();
      const former = FormerAccount.purge(known, version);
      const keys = new OwnerKeys(await transaction.openKeys());
      const revoked = await changeKeys(transaction, { keys, actor }, () => keys.revokeAll('purged', transaction.now));
      await transaction.endSessions();
      await transaction.forgetAccount(former);
      if (account) {
        const details = changedEntitlements(account, NO_ENTITLEMENTS);
        await transaction.record({ type: 'account.purged', details, ...actor });
      }
      return revoked.length;
    });
  }
}
