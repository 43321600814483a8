import { randomUUID } from 'node:crypto';
import { LatchkeyError, Refusal } from '../../domain/errors.js';
import { ChangeWait } from '../../domain/leases/change-wait.js';
import type { AccountTransaction } from '../account-transaction.js';
import type { Accounts } from '../ports.js';
import { type Outcome, outcomeOf, valueOf, withTransactions } from '../with-transactions.js';
import type { ChangeWaits, EndedCall } from './change-waits.js';

/**
 * Answers a call only once no lease from before its change can be used any more. The same holds for a call that states
 * what an earlier change did, such as a refusal because the key has ended.
 */
export function answeredAccounts(accounts: Accounts, waits: ChangeWaits): Accounts {
  return withTransactions(accounts, async (id, work, others) => {
    const { outcome, call } = await run(accounts, id, work, others);
    if (call && isStatement(outcome)) await waits.answerable(call);
    return valueOf(outcome);
  });
}

/** For jobs, which answer nobody: the next change does not wait for this one. */
export function unansweredAccounts(accounts: Accounts, waits: ChangeWaits): Accounts {
  return withTransactions(accounts, async (id, work, others) => {
    const { outcome, call } = await run(accounts, id, work, others);
    if (call && isStatement(outcome)) waits.answerable(call).catch(() => undefined);
    return valueOf(outcome);
  });
}

async function run<T>(
  accounts: Accounts,
  id: string,
  work: (transaction: AccountTransaction) => Promise<T>,
  others: readonly string[] | undefined,
): Promise<{ readonly outcome: Outcome<T>; readonly call: EndedCall | undefined }> {
  let call: EndedCall | undefined;
  const noting = async (transaction: AccountTransaction): Promise<T> => {
    const outcome = await outcomeOf(work(transaction));
    const { leases: found, endsLeases } = transaction;
    const isCommitted = 'result' in outcome || outcome.error instanceof Refusal;
    const changeId = randomUUID();
    const hasTimeline = found.completeTimeline !== undefined;
    const wait = new ChangeWait(changeId, { isChange: isCommitted && endsLeases, hasTimeline, pending: found.pending });
    if (wait.insertsRow) await transaction.addPendingChange(changeId);
    call = { ownerId: id, found, wait };
    return valueOf(outcome);
  };
  const outcome = await outcomeOf(accounts.transaction(id, noting, others));
  return { outcome, call };
}

/** Otherwise nobody knows whether it was committed, and the answer says nothing about the account. */
function isStatement(outcome: Outcome<unknown>): boolean {
  return 'result' in outcome || (outcome.error instanceof LatchkeyError && outcome.error.code !== 'unavailable');
}
