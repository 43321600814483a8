import type { Accounts } from '#application/ports.js';
import { type Account } from '#domain/accounts/account.js';
import { emailKey } from '#domain/accounts/account-profile.js';
import type { FakeStore } from '../fake-store.js';
import { fakeAccountTransaction } from './fake-account-transaction.js';

export function fakeAccounts(store: FakeStore): Accounts {
  const all = () => [...store.accounts.keys()].sort().map((id) => store.account(id)!);
  const hasEmail = (account: Account, email: string) => emailKey(account.email) === emailKey(email);
  const isWithout = (account: Account) =>
    account.kind === 'service' && account.status !== 'deleted' && !all().some((person) => account.isManagedBy(person));
  return {
    find: async (id) => store.account(id),
    findByEmail: async (email) => all().find((account) => hasEmail(account, email)),
    list: async ({ status, email, isWithoutManagers, signedInBefore }, afterId, limit) => {
      const isMeant = (account: Account) =>
        (status === undefined || account.status === status) &&
        (email === undefined || hasEmail(account, email)) &&
        (!isWithoutManagers || isWithout(account)) &&
        (!signedInBefore || (account.snapshot().signedInAt ?? signedInBefore) < signedInBefore) &&
        (afterId === undefined || account.id > afterId);
      return all().filter(isMeant).slice(0, limit);
    },
    rehash: (id, from, to) =>
      store.transaction(() => {
        const stored = store.accounts.get(id);
        if (stored?.passwordHash === from) store.accounts.set(id, { ...stored, passwordHash: to });
      }),
    countWithoutManagers: async () => all().filter(isWithout).length,
    managedBy: async (personId) => store.managedBy(personId),
    transaction: (id, work, others) => store.transaction(() => work(fakeAccountTransaction(store, id, others))),
  };
}
