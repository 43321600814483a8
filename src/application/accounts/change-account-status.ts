import type { Account } from '../../domain/accounts/account.js';
import { type Actor, THE_SERVICE } from '../../domain/audit/audit-event.js';
import { accountNotFound } from '../account-transaction.js';
import type { Accounts } from '../ports.js';
import { saveAccount } from './save-account.js';

/** Resolves after the change has committed, so every later validation sees it. */
export class ChangeAccountStatus {
  constructor(private readonly accounts: Accounts) {}

  suspend(id: string, version?: bigint, actor = THE_SERVICE): Promise<Account> {
    return this.change(id, actor, (account) => account.suspend(version));
  }

  reactivate(id: string, version?: bigint, actor = THE_SERVICE): Promise<Account> {
    return this.change(id, actor, (account) => account.reactivate(version));
  }

  delete(id: string, version?: bigint, actor = THE_SERVICE): Promise<Account> {
    return this.change(id, actor, (account) => account.delete(version));
  }

  private change(id: string, actor: Actor, transition: (account: Account) => void): Promise<Account> {
    return this.accounts.transaction(id, async (transaction) => {
      const { account } = transaction;
      if (!account) throw accountNotFound();
      transition(account);
      await saveAccount(transaction, account, actor);
      if (!account.isActive) await transaction.endSessions();
      return account;
    });
  }
}
