import type { Accounts } from './ports.js';
import type { AccountTransaction } from './account-transaction.js';

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

/** Undoes a transaction whose work has ended well. */
class Undone extends Error {}

/**
 * For a dry run: each transaction takes the same locks and does the same work, with the same answer or error, and is
 * then rolled back.
 */
export function rehearsed(accounts: Accounts): Accounts {
  const rehearsal = withTransactions(
    accounts,
    async <T>(id: string, work: (transaction: AccountTransaction) => Promise<T>, others?: readonly string[]) => {
      const undone = new Undone();
      let outcome: Outcome<T> | undefined;
      const rehearse = async (transaction: AccountTransaction) => {
        // A Refusal that were thrown here would commit what was done before it.
        outcome = await outcomeOf(work(transaction));
        throw undone;
      };
      await accounts.transaction(id, rehearse, others).catch((error: unknown) => {
        if (error !== undone) throw error;
      });
      return valueOf(outcome!);
    },
  );
  return { ...rehearsal, rehash: async () => undefined };
}
