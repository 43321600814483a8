import type { Accounts } from './ports.js';

/** The same accounts, whose transactions run in another way. */
export function withTransactions(accounts: Accounts, transaction: Accounts['transaction']): Accounts {
  return {
    find: (id) => accounts.find(id),
    findByEmail: (email) => accounts.findByEmail(email),
    list: (filter, afterId, limit) => accounts.list(filter, afterId, limit),
    rehash: (id, from, to) => accounts.rehash(id, from, to),
    managedBy: (personId) => accounts.managedBy(personId),
    countWithoutManagers: () => accounts.countWithoutManagers(),
    transaction,
  };
}
