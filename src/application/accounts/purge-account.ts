import { NO_TERMS, changedTerms } from '../../domain/accounts/account-change.js';
import { FormerAccount } from '../../domain/accounts/former-account.js';
import type { Actor } from '../../domain/audit/audit-event.js';
import { OwnerKeys } from '../../domain/keys/owner-keys.js';
import { accountNotFound, type AccountTransaction } from '../account-transaction.js';
import { changeKeys } from '../keys/change-keys.js';
import type { Accounts } from '../ports.js';
import { saveAccount } from './change-account.js';

export class PurgeAccount {
  constructor(private readonly accounts: Accounts) {}

  /** Ends every key and deletes the data about the person. Returns how many keys it ended; 0 when it is repeated. */
  async execute(id: string, version: bigint | undefined, actor: Actor): Promise<number> {
    const managed = (await this.accounts.managedBy(id)).map((account) => account.id);
    const purge = async (transaction: AccountTransaction) => {
      const { account, formerAccount } = transaction;
      const known = account ?? formerAccount;
      if (!known) throw accountNotFound();
      const former = FormerAccount.purge(known, version);
      const named = await transaction.managedIds();
      // Named as a manager of one more account before this one was locked.
      if (named.some((each) => !managed.includes(each))) return undefined;
      await this.removeManager(transaction, { id, named, actor });
      const keys = new OwnerKeys(await transaction.openKeys());
      const revoked = await changeKeys(transaction, { keys, actor }, () => keys.revokeAll('purged', transaction.now));
      await transaction.endSessions();
      await transaction.forgetAccount(former);
      if (account) {
        const details = changedTerms(account, NO_TERMS);
        await transaction.record({ type: 'account.purged', details, ...actor });
      }
      return revoked.length;
    };
    return (await this.accounts.transaction(id, purge, managed)) ?? this.execute(id, version, actor);
  }

  private async removeManager(
    transaction: AccountTransaction,
    { id, named, actor }: { id: string; named: readonly string[]; actor: Actor },
  ): Promise<void> {
    for (const each of named) {
      const account = transaction.other(each)!;
      account.removeManager(id);
      // oxlint-disable-next-line no-await-in-loop
      await saveAccount(transaction, account, actor);
    }
  }
}
