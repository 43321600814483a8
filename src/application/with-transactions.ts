import type { Accounts, AccountTransaction } from './account-ports.js';

/** The same object, with these methods in place of its own. */
export function replacing<T extends object>(whole: T, methods: Partial<T>): T {
  return Object.assign(Object.create(whole) as T, methods);
}

export function withTransactions(accounts: Accounts, transaction: Accounts['transaction']): Accounts {
  return replacing(accounts, { transaction });
}

/** Throws the error, if the work ended with one. */
export function valueOf<T>(outcome: PromiseSettledResult<T>): T {
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}

/** Undoes a transaction whose work has ended well. */
class Undone extends Error {}

/** For a dry run: the same locks, work, answers and errors, but each transaction is rolled back. */
export function rehearsed(accounts: Accounts): Accounts {
  const rehearsal = withTransactions(
    accounts,
    async <T>(id: string, work: (transaction: AccountTransaction) => Promise<T>, others?: readonly string[]) => {
      const undone = new Undone();
      let outcome: PromiseSettledResult<T> | undefined;
      const rehearse = async (transaction: AccountTransaction) => {
        // A Refusal that were thrown here would commit what was done before it.
        [outcome] = await Promise.allSettled([work(transaction)]);
        throw undone;
      };
      await accounts.transaction(id, rehearse, others).catch((error: unknown) => {
        if (error !== undone) throw error;
      });
      return valueOf(outcome!);
    },
  );
  return replacing(rehearsal, { rehash: async () => undefined });
}

/** Does the work for each item, for so many at the same time. Throws the first error once all work has ended. */
export async function atOnce<Item>(
  count: number,
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items[Symbol.iterator]();
  const lane = async () => {
    for (let next = waiting.next(); !next.done; next = waiting.next()) await work(next.value);
  };
  const lanes = await Promise.allSettled(Array.from({ length: count }, lane));
  const failed = lanes.find((each) => each.status === 'rejected');
  if (failed) throw failed.reason;
}
