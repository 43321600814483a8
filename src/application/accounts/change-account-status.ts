import type { Account } from '../../domain/accounts/account.js';
import { THE_SERVICE } from '../../domain/audit/audit-event.js';
import type { Accounts } from '../ports.js';
import { changeAccount } from './save-account.js';

export class ChangeAccountStatus {
  constructor(private readonly accounts: Accounts) {}

  suspend(id: string, version?: bigint, actor = THE_SERVICE): Promise<Account> {
    return changeAccount(this.accounts, { id, actor }, (account) => account.suspend(version));
  }

  reactivate(id: string, version?: bigint, actor = THE_SERVICE): Promise<Account> {
    return changeAccount(this.accounts, { id, actor }, (account, now) => account.reactivate(now, version));
  }

  delete(id: string, version?: bigint, actor = THE_SERVICE): Promise<Account> {
    return changeAccount(this.accounts, { id, actor }, (account) => account.delete(version));
  }
}
