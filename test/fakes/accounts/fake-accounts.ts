import type { AccountTransaction } from '../../../src/application/account-transaction.js';
import type { AccountFilter, Accounts } from '../../../src/application/ports.js';
import { type Account, emailKey } from '../../../src/domain/accounts/account.js';
import { Refusal } from '../../../src/domain/errors.js';
import type { FakeStore } from '../fake-store.js';
import { accountRow } from '../locks.js';
import { FakeAccountTransaction } from './fake-account-transaction.js';

export class FakeAccounts implements Accounts {
  constructor(private readonly store: FakeStore) {}

  async find(id: string): Promise<Account | undefined> {
    return this.store.account(id);
  }

  async findByEmail(email: string): Promise<Account | undefined> {
    const stored = [...this.store.accounts.values()].find((one) => emailKey(one.email) === emailKey(email));
    return stored && this.store.account(stored.id);
  }

  async list({ status, email }: AccountFilter, afterId: string | undefined, limit: number): Promise<Account[]> {
    const isMeant = (account: Account) =>
      (status === undefined || account.status === status) &&
      (email === undefined || emailKey(account.email) === emailKey(email)) &&
      (afterId === undefined || account.id > afterId);
    const all = [...this.store.accounts.keys()].sort().map((id) => this.store.account(id)!);
    return all.filter(isMeant).slice(0, limit);
  }

  rehash(id: string, from: string, to: string): Promise<void> {
    return this.store.locks.holding(accountRow(id), () => {
      const stored = this.store.accounts.get(id);
      if (stored?.passwordHash === from) this.store.accounts.set(id, { ...stored, passwordHash: to });
    });
  }

  async transaction<T>(id: string, work: (transaction: AccountTransaction) => Promise<T>): Promise<T> {
    const transaction = await FakeAccountTransaction.begin(this.store, id);
    try {
      const result = await work(transaction);
      transaction.commit();
      return result;
    } catch (error) {
      if (error instanceof Refusal) transaction.commit();
      throw error;
    } finally {
      transaction.end();
    }
  }
}
