import type { AccountTransaction } from '../account-transaction.js';
import type { Accounts } from '../ports.js';
import { type Outcome, outcomeOf, valueOf, withTransactions } from '../with-transactions.js';

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
