import { randomUUID } from 'node:crypto';
import { LatchkeyError, Refusal } from '../../domain/errors.js';
import { ChangeWait } from '../../domain/leases/change-wait.js';
import type { Accounts } from '../ports.js';
import { type Outcome, outcomeOf, valueOf, withTransactions } from '../with-transactions.js';
import type { ChangeWaits, EndedCall } from './change-waits.js';

/**
 * Answers a call only once no lease from before its change can be used any more. The same holds for a call that states
 * what an earlier change did, such as a refusal because the key has ended.
 */
export function answeredAccounts(accounts: Accounts, waits: ChangeWaits): Accounts {
  return withWaits(accounts, (call) => waits.answerable(call));
}

/** For jobs, which answer nobody: the next change does not wait for this one. */
export function unansweredAccounts(accounts: Accounts, waits: ChangeWaits): Accounts {
  return withWaits(accounts, (call) => void waits.answerable(call).catch(() => undefined));
}

/** @param wait runs after the transaction of each call that says anything about the account, before its answer */
function withWaits(accounts: Accounts, wait: (call: EndedCall) => Promise<void> | void): Accounts {
  return withTransactions(accounts, async (id, work, others) => {
    let call: EndedCall | undefined;
    const noting: typeof work = async (transaction) => {
      const outcome = await outcomeOf(work(transaction));
      const { leases: found, endsLeases } = transaction;
      const isCommitted = 'result' in outcome || outcome.error instanceof Refusal;
      const isChange = isCommitted && endsLeases;
      const changeId = randomUUID();
      const hasTimeline = found.completeTimeline !== undefined;
      const change = new ChangeWait(changeId, { isChange, hasTimeline, pending: found.pending });
      if (change.insertsRow) await transaction.addPendingChange(changeId);
      call = { ownerId: id, found, wait: change };
      return valueOf(outcome);
    };
    const outcome = await outcomeOf(accounts.transaction(id, noting, others));
    if (call && isStatement(outcome)) await wait(call);
    return valueOf(outcome);
  });
}

/** Otherwise nobody knows whether it was committed, and the answer says nothing about the account. */
function isStatement(outcome: Outcome<unknown>): boolean {
  return 'result' in outcome || (outcome.error instanceof LatchkeyError && outcome.error.code !== 'unavailable');
}
