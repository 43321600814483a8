import type { Account } from '../../domain/accounts/account.js';
import { accountNotFound } from '../account-transaction.js';
import type { Accounts } from '../ports.js';

export class GetAccount {
  constructor(private readonly accounts: Accounts) {}

  async execute(id: string): Promise<Account> {
    const account = await this.accounts.find(id);
    if (!account) throw accountNotFound();
    return account;
  }
}
