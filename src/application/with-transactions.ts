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

/** How a work ended. */
export type Outcome<T> = { readonly result: T } | { readonly error: unknown };

export function outcomeOf<T>(work: Promise<T>): Promise<Outcome<T>> {
  return work.then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
}

/** Throws the error, if the work ended with one. */
export function valueOf<T>(outcome: Outcome<T>): T {
  if ('error' in outcome) throw outcome.error;
  return outcome.result;
}
