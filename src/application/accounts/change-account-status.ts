import type { Account } from '../../domain/accounts/account.js';
import { accountNotFound } from './get-account.js';
import type { Accounts } from '../ports.js';

/** Answers once the change is committed: a validation that starts later sees it. */
export class ChangeAccountStatus {
  constructor(private readonly accounts: Accounts) {}

  suspend(id: string, version?: bigint): Promise<Account> {
    return this.change(id, (account) => account.suspend(version));
  }

  reactivate(id: string, version?: bigint): Promise<Account> {
    return this.change(id, (account) => account.reactivate(version));
  }

  delete(id: string, version?: bigint): Promise<Account> {
    return this.change(id, (account) => account.delete(version));
  }

  private change(id: string, transition: (account: Account) => void): Promise<Account> {
    return this.accounts.transaction(id, async (transaction) => {
      const { account } = transaction;
      if (!account) throw accountNotFound();
      transition(account);
      await transaction.saveAccount(account);
      if (!account.isActive) await transaction.endSessions();
      return account;
    });
  }
}
